// mistake: the last device begins with what needs its forward
// fails: Level10.IsAScheduleOfItsBoard
// says: which waits for F0 of stage
// points: 0
#include "exercise.hpp"

namespace pipeline {

std::string level_10() {
  return R"(schedule: level 10
devices: 2
device-of-stage: 0 1 0 1
micro-batches: 4
steps: 1
training: yes
row 0: 0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 2B2 2B3 0B2 0B3 0U3 2U3
row 1: 3B0 1F0 1F1 3F0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3 1U3 3U3
end
)";
}

}  // namespace pipeline
