// mistake: the last device takes the micro-batches in the opposite order
// fails: Level3.MeetsItsGoal
// says: ticks, where 9 are enough
// points: 1
#include "exercise.hpp"

namespace pipeline {

std::string level_3() {
  return R"(schedule: level 3
devices: 3
device-of-stage: 0 1 2
micro-batches: 3
steps: 1
training: no
row 0: F0 F1 F2
row 1: F0 F1 F2
row 2: F2 F1 F0
end
)";
}

}  // namespace pipeline
