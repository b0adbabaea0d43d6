// mistake: all forwards first, whatever the memory
// fails: Level8.IsAScheduleOfItsBoard
// says: over its limit of
// points: 4
#include "exercise.hpp"

namespace pipeline {

std::string level_8() {
  return R"(schedule: level 8
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: yes
row 0: F0 F1 F2 F3 B0 B1 B2 B3 U3
row 1: F0 F1 F2 F3 B0 B1 B2 B3 U3
row 2: F0 F1 F2 F3 B0 B1 B2 B3 U3
end
)";
}

}  // namespace pipeline
