// mistake: one micro-batch at a time
// fails: Level5.MeetsItsGoal
// says: ticks, where 10 are enough
// points: 1
#include "exercise.hpp"

namespace pipeline {

std::string level_5() {
  return R"(schedule: level 5
devices: 2
device-of-stage: 0 1
micro-batches: 2
steps: 1
training: yes
row 0: F0 B0 F1 B1 U1
row 1: F0 B0 F1 B1 U1
end
)";
}

}  // namespace pipeline
