// mistake: the last device begins with what needs its forward
// fails: Level5.IsAScheduleOfItsBoard
// says: which waits for F0 of stage
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_5() {
  return R"(schedule: level 5
devices: 2
device-of-stage: 0 1
micro-batches: 2
steps: 1
training: yes
row 0: F0 F1 B0 B1 U1
row 1: B0 F0 F1 B1 U1
end
)";
}

}  // namespace pipeline
