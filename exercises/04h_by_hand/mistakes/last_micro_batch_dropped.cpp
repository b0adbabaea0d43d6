// mistake: the last micro-batch is left out
// fails: Level4.IsAScheduleOfItsBoard
// says: is in no row
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_4() {
  return R"(schedule: level 4
devices: 3
device-of-stage: 0 1 2
micro-batches: 4
steps: 1
training: no
row 0: F0 F1 F2
row 1: F0 F1 F2
row 2: F0 F1 F2
end
)";
}

}  // namespace pipeline
