// mistake: all forwards first, whatever the memory
// fails: Level11.IsAScheduleOfItsBoard
// says: over its limit of
// points: 4
#include "exercise.hpp"

namespace pipeline {

std::string level_11() {
  return R"(schedule: level 11
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 F3 I0 I1 I2 I3 W0 W1 W2 W3 U3
row 1: F0 F1 F2 F3 I0 I1 I2 I3 W0 W1 W2 W3 U3
row 2: F0 F1 F2 F3 I0 I1 I2 I3 W0 W1 W2 W3 U3
end
)";
}

}  // namespace pipeline
