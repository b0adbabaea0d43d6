// Exercise 17h: V schedules, built by hand. The task is in
// exercises/17h_by_hand/README.md.
#include "exercise.hpp"

namespace pipeline {

std::string level_13() {
  // <solution>
  // 19 ticks: device 1 waits one tick and then works 18 without a gap.
  return R"(schedule: level 13
devices: 2
device-of-stage: 0 1 1 0
micro-batches: 3
steps: 1
training: yes
row 0: 0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 0I0 3W1 0W0 3F2 3I2 0I1 3W2 0I2 0W1 0W2 0U2 3U2
row 1: 1F0 2F0 1F1 2F1 2I0 2W0 1I0 1W0 1F2 2F2 2I1 1I1 2I2 1I2 2W1 1W1 2W2 1W2 1U2 2U2
end
)";
  //~ // Your turn: build level 13, and put in what the board hands you.
  //~ return "";
  // </solution>
}

std::string level_14() {
  // <solution>
  // A W frees an activation of its stage: run it before memory makes the next forward
  // wait.
  return R"(schedule: level 14
devices: 3
device-of-stage: 0 1 2 2 1 0
micro-batches: 3
steps: 1
training: yes
row 0: 0F0 0F1 0F2 5F0 5I0 5W0 5F1 5I1 5W1 0I0 0W0 5F2 5I2 0I1 5W2 0W1 0I2 0W2 0U2 5U2
row 1: 1F0 1F1 4F0 4F1 4I0 4W0 1F2 1I0 1W0 4I1 4W1 4F2 1I1 4I2 1W1 4W2 1I2 1W2 1U2 4U2
row 2: 2F0 3F0 2F1 3F1 3I0 2I0 3W0 2W0 2F2 3F2 3I1 2I1 3W1 2W1 3I2 2I2 3W2 2W2 2U2 3U2
end
)";
  //~ // Your turn: build level 14, and put in what the board hands you.
  //~ return "";
  // </solution>
}

std::string level_15() {
  // <solution>
  // 20 ticks: device 2 waits two and works 18 without a gap.
  return R"(schedule: level 15
devices: 3
device-of-stage: 0 1 2 2 1 0
micro-batches: 3
steps: 1
training: yes
row 0: 0F0 0F1 0F2 5F0 5I0 5W0 5F1 5I1 5W1 5F2 5I2 0I0 5W2 0I1 0W0 0I2 0W1 0W2 0U2 5U2
row 1: 1F0 1F1 1F2 4F0 4F1 4I0 4W0 4F2 4I1 1I0 4W1 4I2 1I1 1W0 1I2 4W2 1W1 1W2 1U2 4U2
row 2: 2F0 3F0 2F1 3F1 2F2 3F2 3I0 2I0 3W0 3I1 2I1 2W0 3I2 2I2 3W1 2W1 3W2 2W2 2U2 3U2
end
)";
  //~ // Your turn: build level 15, and put in what the board hands you.
  //~ return "";
  // </solution>
}

}  // namespace pipeline
