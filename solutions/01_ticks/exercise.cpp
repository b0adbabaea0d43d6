// Exercise 01: the ticks of a pipeline. The task is in exercises/01_ticks/README.md.
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  // <solution>
  // The last micro-batch enters after the m-1 before it, and then visits p devices.
  // The sum is made in 64 bits: two large sizes would not fit into 32.
  return std::int64_t{micro_batches} + devices - 1;
  //~ // Your turn: how long until the last micro-batch has left the last device?
  //~ return 0;
  // </solution>
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  // <solution>
  // Every device works m ticks out of all of them, whichever device it is.
  return static_cast<double>(micro_batches) /
         static_cast<double>(tick_count(devices, micro_batches));
  //~ // Your turn: in how many of its ticks does one device work?
  //~ return 0;
  // </solution>
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  // <solution>
  // Device 0 runs micro-batch k in tick k + 1, and device d that many ticks later.
  const std::int32_t micro_batch = tick - 1 - device;
  const bool exists = micro_batch >= 0 && micro_batch < micro_batches;
  return exists ? micro_batch : kIdle;
  //~ // Your turn: draw the first ticks on paper, then look for the rule.
  //~ return kIdle;
  // </solution>
}

}  // namespace pipeline
