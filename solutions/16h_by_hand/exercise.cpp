// Exercise 16h: zero bubble, built by hand. The task is in
// exercises/16h_by_hand/README.md.
#include "exercise.hpp"

namespace pipeline {

std::string level_11() {
  // <solution>
  // ZB-H1: as 1F1B, with I for B, and each W as late as memory and the end of the step
  // allow. 14 ticks.
  return R"(schedule: level 11
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3 U3
row 1: F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3 U3
row 2: F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3 U3
end
)";
  //~ // Your turn: build level 11, and put in what the board hands you.
  //~ return "";
  // </solution>
}

std::string level_12() {
  // <solution>
  // 15 ticks of work on each device, without a gap: ZB-H2.
  return R"(schedule: level 12
devices: 3
device-of-stage: 0 1 2
micro-batches: 5
steps: 1
training: yes
row 0: F0 F1 F2 F3 F4 I0 W0 I1 W1 I2 W2 I3 W3 I4 W4 U4
row 1: F0 F1 F2 I0 F3 I1 F4 I2 W0 I3 W1 I4 W2 W3 W4 U4
row 2: F0 I0 F1 I1 F2 I2 F3 I3 F4 I4 W0 W1 W2 W3 W4 U4
end
)";
  //~ // Your turn: build level 12, and put in what the board hands you.
  //~ return "";
  // </solution>
}

}  // namespace pipeline
