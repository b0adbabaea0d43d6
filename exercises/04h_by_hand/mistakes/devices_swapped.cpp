// mistake: stages placed from the last device to the first
// fails: Level4.IsAScheduleOfItsBoard
// says: stages lie on other devices than the level says
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_4() {
  return R"(schedule: level 4
devices: 3
device-of-stage: 2 1 0
micro-batches: 4
steps: 1
training: no
row 0: F0 F1 F2 F3
row 1: F0 F1 F2 F3
row 2: F0 F1 F2 F3
end
)";
}

}  // namespace pipeline
