// mistake: the last device takes the micro-batches in the opposite order
// fails: Level2.MeetsItsGoal
// says: ticks, where 7 are enough
// points: 1
#include "exercise.hpp"

namespace pipeline {

std::string level_2() {
  return R"(schedule: level 2
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: no
row 0: F0 F1 F2 F3
row 1: F0 F1 F2 F3
row 2: F3 F2 F1 F0
end
)";
}

}  // namespace pipeline
