// mistake: all forwards first, whatever the memory
// fails: Level16.IsAScheduleOfItsBoard
// says: over its limit of
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_16() {
  return R"(schedule: level 16
devices: 2
device-of-stage: 0 1
second-copy: 1 0
micro-batches: 4
steps: 1
training: yes
row 0: 0F0 0F1 1F2 1F3 1B2 1B3 0B0 0B1 0AR1 1AR3 0U1 1U3
row 1: 0F2 0F3 1F0 1F1 1B0 1B1 0B2 0B3 0AR3 1AR1 0U3 1U1
end
)";
}

}  // namespace pipeline
