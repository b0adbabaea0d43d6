// mistake: the last device takes the micro-batches in the opposite order
// fails: Level1.MeetsItsGoal
// says: ticks, where 5 are enough
// points: 1
#include "exercise.hpp"

namespace pipeline {

std::string level_1() {
  return R"(schedule: level 1
devices: 2
device-of-stage: 0 1
micro-batches: 3
steps: 1
training: no
row 0: F0 F1 F2
row 1: F2 F1 F0
end
)";
}

}  // namespace pipeline
