// mistake: the last micro-batch is left out
// fails: Level1.IsAScheduleOfItsBoard
// says: is in no row
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_1() {
  return R"(schedule: level 1
devices: 2
device-of-stage: 0 1
micro-batches: 3
steps: 1
training: no
row 0: F0 F1
row 1: F0 F1
end
)";
}

}  // namespace pipeline
