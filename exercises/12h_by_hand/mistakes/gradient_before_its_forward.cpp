// mistake: the last device begins with what needs its forward
// fails: Level7.IsAScheduleOfItsBoard
// says: which waits for F0 of stage
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_7() {
  return R"(schedule: level 7
devices: 2
device-of-stage: 0 1
micro-batches: 3
steps: 1
training: yes
row 0: F0 F1 F2 R0 B0 R1 B1 R2 B2 U2
row 1: R0 F0 F1 F2 B0 R1 B1 R2 B2 U2
end
)";
}

}  // namespace pipeline
