// mistake: the last device begins with what needs its forward
// fails: Level8.IsAScheduleOfItsBoard
// says: which waits for F0 of stage
// points: 4
#include "exercise.hpp"

namespace pipeline {

std::string level_8() {
  return R"(schedule: level 8
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 B0 F3 B1 B2 B3 U3
row 1: F0 F1 B0 F2 B1 F3 B2 B3 U3
row 2: B0 F0 F1 B1 F2 B2 F3 B3 U3
end
)";
}

}  // namespace pipeline
