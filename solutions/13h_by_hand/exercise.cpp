// Exercise 13h: 1F1B, built by hand. The task is in
// exercises/13h_by_hand/README.md.
#include "exercise.hpp"

namespace pipeline {

std::string level_8() {
  // <solution>
  // Warm up with 2, 1 and 0 forwards on devices 0, 1 and 2; then one forward, one
  // backward, in turn.
  return R"(schedule: level 8
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 B0 F3 B1 B2 B3 U3
row 1: F0 F1 B0 F2 B1 F3 B2 B3 U3
row 2: F0 B0 F1 B1 F2 B2 F3 B3 U3
end
)";
  //~ // Your turn: build level 8, and put in what the board hands you.
  //~ return "";
  // </solution>
}

std::string level_9() {
  // <solution>
  // Device 1 should never wait between its first forward and its last backward: 2 + 12
  // ticks, then 1 + 2 on device 0.
  return R"(schedule: level 9
devices: 2
device-of-stage: 0 1
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 B0 F3 B1 B2 B3 U3
row 1: F0 B0 F1 B1 F2 B2 F3 B3 U3
end
)";
  //~ // Your turn: build level 9, and put in what the board hands you.
  //~ return "";
  // </solution>
}

}  // namespace pipeline
