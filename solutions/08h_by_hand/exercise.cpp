// Exercise 08h: model parallel, built by hand. The task is in
// exercises/08h_by_hand/README.md.
#include "exercise.hpp"

namespace pipeline {

std::string level_5() {
  // <solution>
  // Device 0: F0 F1 B0 B1. Device 1: F0 B0 F1 B1.
  return R"(schedule: level 5
devices: 2
device-of-stage: 0 1
micro-batches: 2
steps: 1
training: yes
row 0: F0 F1 B0 B1 U1
row 1: F0 B0 F1 B1 U1
end
)";
  //~ // Your turn: build level 5, and put in what the board hands you.
  //~ return "";
  // </solution>
}

}  // namespace pipeline
