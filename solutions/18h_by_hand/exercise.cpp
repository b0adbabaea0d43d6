// Exercise 18h: two-way schedules, built by hand. The task is in
// exercises/18h_by_hand/README.md.
#include "exercise.hpp"

namespace pipeline {

std::string level_16() {
  // <solution>
  // Both devices do the same, mirrored: F of one way, then F of the other, then
  // backwards in turn.
  return R"(schedule: level 16
devices: 2
device-of-stage: 0 1
second-copy: 1 0
micro-batches: 4
steps: 1
training: yes
row 0: 0F0 1F2 1B2 0B0 0F1 1F3 1B3 0B1 0AR1 1AR3 0U1 1U3
row 1: 0F2 1F0 1B0 0B2 0F3 1F1 1B1 0B3 0AR3 1AR1 0U3 1U1
end
)";
  //~ // Your turn: build level 16, and put in what the board hands you.
  //~ return "";
  // </solution>
}

}  // namespace pipeline
