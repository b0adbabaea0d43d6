// mistake: the last micro-batch is left out
// fails: Level11.IsAScheduleOfItsBoard
// says: is in no row
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
row 0: F0 F1 F2 I0 W0 I1 W1 I2 W2 U3
row 1: F0 F1 I0 F2 I1 W0 I2 W1 W2 U3
row 2: F0 I0 F1 I1 F2 I2 W0 W1 W2 U3
end
)";
}

}  // namespace pipeline
