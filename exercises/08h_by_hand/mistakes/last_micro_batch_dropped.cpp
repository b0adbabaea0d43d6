// mistake: the last micro-batch is left out
// fails: Level5.IsAScheduleOfItsBoard
// says: is in no row
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_5() {
  return R"(schedule: level 5
devices: 2
device-of-stage: 0 1
micro-batches: 2
steps: 1
training: yes
row 0: F0 B0 U1
row 1: F0 B0 U1
end
)";
}

}  // namespace pipeline
