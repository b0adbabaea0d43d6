// mistake: the last micro-batch is left out
// fails: Level13.IsAScheduleOfItsBoard
// says: is in no row
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
row 0: 0F0 0F1 3F0 3I0 3W0 3F1 3I1 0I0 3W1 0W0 0I1 0W1 0U2 3U2
row 1: 1F0 2F0 1F1 2F1 2I0 2W0 1I0 1W0 2I1 1I1 2W1 1W1 1U2 2U2
end
)";
}

}  // namespace pipeline
