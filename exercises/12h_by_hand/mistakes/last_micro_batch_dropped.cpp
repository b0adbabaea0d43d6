// mistake: the last micro-batch is left out
// fails: Level7.IsAScheduleOfItsBoard
// says: is in no row
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
row 0: F0 F1 R0 B0 R1 B1 U2
row 1: F0 F1 R0 B0 R1 B1 U2
end
)";
}

}  // namespace pipeline
