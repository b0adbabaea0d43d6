// mistake: the last micro-batch is left out
// fails: Level8.IsAScheduleOfItsBoard
// says: is in no row
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
row 0: F0 F1 F2 B0 B1 B2 U3
row 1: F0 F1 B0 F2 B1 B2 U3
row 2: F0 B0 F1 B1 F2 B2 U3
end
)";
}

}  // namespace pipeline
