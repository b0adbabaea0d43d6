// Exercise 10h: GPipe, built by hand. The task is in
// exercises/10h_by_hand/README.md.
#include "exercise.hpp"

namespace pipeline {

std::string level_6() {
  // <solution>
  // 3 (m + p - 1) = 18 ticks: F0 F1 F2 F3 B0 B1 B2 B3 on all devices.
  return R"(schedule: level 6
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 F3 B0 B1 B2 B3 U3
row 1: F0 F1 F2 F3 B0 B1 B2 B3 U3
row 2: F0 F1 F2 F3 B0 B1 B2 B3 U3
end
)";
  //~ // Your turn: build level 6, and put in what the board hands you.
  //~ return "";
  // </solution>
}

}  // namespace pipeline
