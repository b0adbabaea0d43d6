// mistake: 1F1B with as many in flight as without messages
// fails: Level9.MeetsItsGoal
// says: your step takes 19 ticks
// points: 5
#include "exercise.hpp"

namespace pipeline {

std::string level_9() {
  return R"(schedule: level 9
devices: 2
device-of-stage: 0 1
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 B0 F2 B1 F3 B2 B3 U3
row 1: F0 B0 F1 B1 F2 B2 F3 B3 U3
end
)";
}

}  // namespace pipeline
