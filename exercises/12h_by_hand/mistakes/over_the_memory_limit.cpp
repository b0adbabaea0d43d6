// mistake: all forwards first, whatever the memory
// fails: Level7.IsAScheduleOfItsBoard
// says: over its limit of
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_7() {
  return R"(schedule: level 7
devices: 2
device-of-stage: 0 1
micro-batches: 3
steps: 1
training: yes
row 0: F0 F1 F2 R0 R1 R2 B0 B1 B2 U2
row 1: F0 F1 F2 R0 R1 R2 B0 B1 B2 U2
end
)";
}

}  // namespace pipeline
