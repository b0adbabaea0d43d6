// mistake: the last micro-batch is left out
// fails: Level16.IsAScheduleOfItsBoard
// says: is in no row
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
row 0: 0F0 1F2 1B2 0B0 0F1 0B1 0AR1 1AR3 0U1 1U3
row 1: 0F2 1F0 1B0 0B2 1F1 1B1 0AR3 1AR1 0U3 1U1
end
)";
}

}  // namespace pipeline
