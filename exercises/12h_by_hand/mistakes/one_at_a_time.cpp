// mistake: one micro-batch at a time
// fails: Level7.MeetsItsGoal
// says: ticks, where 16 are enough
// points: 1
#include "exercise.hpp"

namespace pipeline {

std::string level_7() {
  return R"(schedule: level 7
devices: 2
device-of-stage: 0 1
micro-batches: 3
steps: 1
training: yes
row 0: F0 R0 B0 F1 R1 B1 F2 R2 B2 U2
row 1: F0 R0 B0 F1 R1 B1 F2 R2 B2 U2
end
)";
}

}  // namespace pipeline
