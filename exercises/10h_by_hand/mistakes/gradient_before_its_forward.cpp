// mistake: the last device begins with what needs its forward
// fails: Level6.IsAScheduleOfItsBoard
// says: which waits for F0 of stage
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_6() {
  return R"(schedule: level 6
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 F3 B0 B1 B2 B3 U3
row 1: F0 F1 F2 F3 B0 B1 B2 B3 U3
row 2: B0 F0 F1 F2 F3 B1 B2 B3 U3
end
)";
}

}  // namespace pipeline
