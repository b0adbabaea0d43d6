// Exercise 14: interleaved 1F1B. The task is in exercises/14_interleaving/README.md.
#include "exercise.hpp"

#include <algorithm>

namespace pipeline {

std::int32_t stage_of(std::int32_t device, std::int32_t chunk, std::int32_t devices) {
  // <solution>
  // Once around all devices lies between a device's stage and its next.
  return chunk * devices + device;
  //~ // Your turn: how many stages lie before chunk 1 of device 0?
  //~ return 0;
  // </solution>
}

std::vector<std::int32_t> groups_of(std::int32_t devices, std::int32_t micro_batches) {
  // <solution>
  const std::int32_t groups = std::max(1, micro_batches / devices);
  std::vector<std::int32_t> sizes(static_cast<std::size_t>(groups),
                                  micro_batches / groups);
  // What is left over is dealt out, one to a group.
  for (std::int32_t i = 0; i < micro_batches % groups; ++i) {
    ++sizes[static_cast<std::size_t>(i)];
  }
  return sizes;
  //~ // Your turn: how many groups, and which of them are one larger?
  //~ return {};
  // </solution>
}

std::int32_t warm_up(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                     std::int32_t micro_batches, std::int32_t group_size) {
  // <solution>
  // The first backward is that of the last chunk, after the first group has been
  // through all others: chunks - 1 of them. Then there and back to the last device, a
  // forward each way. And never more than there are.
  return std::min(2 * (devices - 1 - device) + (chunks - 1) * group_size,
                  chunks * micro_batches);
  //~ // Your turn: what runs before the first backward comes back?
  //~ return 0;
  // </solution>
}

Row interleaved_row(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                    std::int32_t micro_batches) {
  Row row;
  // <solution>
  Row forwards;
  Row backwards;
  std::int32_t first = 0;
  const std::vector<std::int32_t> groups = groups_of(devices, micro_batches);
  for (const std::int32_t size : groups) {
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      // Backwards come to the device in the other direction: its last chunk first.
      const std::int32_t back = chunks - 1 - chunk;
      for (std::int32_t k = first; k < first + size; ++k) {
        forwards.push_back(forward_of(stage_of(device, chunk, devices), k));
        backwards.push_back(backward_of(stage_of(device, back, devices), k));
      }
    }
    first += size;
  }
  const auto ahead = static_cast<std::size_t>(
      warm_up(device, devices, chunks, micro_batches, groups.front()));
  for (std::size_t i = 0; i < forwards.size() + ahead; ++i) {
    if (i < forwards.size()) row.push_back(forwards[i]);
    if (i >= ahead) row.push_back(backwards[i - ahead]);
  }
  //~ // Your turn: the order of the forwards, that of the backwards, and then as in
  //~ // chapter 13.
  // </solution>
  return row;
}

}  // namespace pipeline
