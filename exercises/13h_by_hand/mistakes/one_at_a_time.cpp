// mistake: one micro-batch at a time
// fails: Level8.MeetsItsGoal
// says: ticks, where 20 are enough
// points: 5
#include "exercise.hpp"

namespace pipeline {

std::string level_8() {
  return R"(schedule: level 8
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 B0 F1 B1 F2 B2 F3 B3 U3
row 1: F0 B0 F1 B1 F2 B2 F3 B3 U3
row 2: F0 B0 F1 B1 F2 B2 F3 B3 U3
end
)";
}

}  // namespace pipeline
