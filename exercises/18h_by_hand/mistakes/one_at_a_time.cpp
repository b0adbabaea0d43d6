// mistake: one micro-batch at a time
// fails: Level16.MeetsItsGoal
// says: ticks, where 14 are enough
// points: 1
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
row 0: 0F0 0B0 0F1 0B1 1F2 1B2 1F3 1B3 0AR1 1AR3 0U1 1U3
row 1: 1F0 1B0 1F1 1B1 0F2 0B2 0F3 0B3 0AR3 1AR1 0U3 1U1
end
)";
}

}  // namespace pipeline
