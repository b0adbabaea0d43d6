// Exercise 14: interleaved 1F1B. The task is in exercises/14_interleaving/README.md.
#include "exercise.hpp"

#include <algorithm>

namespace pipeline {

std::int32_t stage_of(std::int32_t device, std::int32_t chunk, std::int32_t devices) {
  // Your turn: how many stages lie before chunk 1 of device 0?
  return 0;
}

std::vector<std::int32_t> groups_of(std::int32_t devices, std::int32_t micro_batches) {
  // Your turn: how many groups, and which of them are one larger?
  return {};
}

std::int32_t warm_up(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                     std::int32_t micro_batches, std::int32_t group_size) {
  // Your turn: what runs before the first backward comes back?
  return 0;
}

Row interleaved_row(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                    std::int32_t micro_batches) {
  Row row;
  // Your turn: the order of the forwards, that of the backwards, and then as in
  // chapter 13.
  return row;
}

}  // namespace pipeline
