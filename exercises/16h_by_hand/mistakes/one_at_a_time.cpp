// mistake: one micro-batch at a time
// fails: Level11.MeetsItsGoal
// says: ticks, where 16 are enough
// points: 5
#include "exercise.hpp"

namespace pipeline {

std::string level_11() {
  return R"(schedule: level 11
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 I0 W0 F1 I1 W1 F2 I2 W2 F3 I3 W3 U3
row 1: F0 I0 W0 F1 I1 W1 F2 I2 W2 F3 I3 W3 U3
row 2: F0 I0 W0 F1 I1 W1 F2 I2 W2 F3 I3 W3 U3
end
)";
}

}  // namespace pipeline
