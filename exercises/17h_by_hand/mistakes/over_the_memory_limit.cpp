// mistake: all forwards first, whatever the memory
// fails: Level13.IsAScheduleOfItsBoard
// says: over its limit of
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::string level_13() {
  return R"(schedule: level 13
devices: 2
device-of-stage: 0 1 1 0
micro-batches: 3
steps: 1
training: yes
row 0: 0F0 0F1 0F2 3F0 3F1 3F2 3I0 3I1 3I2 0I0 0I1 0I2 3W0 3W1 3W2 0W0 0W1 0W2 0U2 3U2
row 1: 1F0 1F1 1F2 2F0 2F1 2F2 2I0 2I1 2I2 1I0 1I1 1I2 2W0 2W1 2W2 1W0 1W1 1W2 1U2 2U2
end
)";
}

}  // namespace pipeline
