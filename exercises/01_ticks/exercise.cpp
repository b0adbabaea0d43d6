// Exercise 01: the ticks of a pipeline. The task is in exercises/01_ticks/README.md.
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  // Your turn: how long until the last micro-batch has left the last device?
  return 0;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  // Your turn: in how many of its ticks does one device work?
  return 0;
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  // Your turn: draw the first ticks on paper, then look for the rule.
  return kIdle;
}

}  // namespace pipeline
