// Exercise 15: PipeDream. The task is in exercises/15_pipedream/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

Row pipedream_row(std::int32_t stage, std::int32_t devices,
                  std::int32_t micro_batches) {
  Row row;
  // Your turn: 1F1B over the whole run, with an update behind each backward.
  return row;
}

std::int32_t version_used(std::int32_t stage, std::int32_t devices,
                          std::int32_t micro_batch) {
  // Your turn: how many updates stand before the forward in the row?
  return 0;
}

std::int32_t versions_kept(std::int32_t stage, std::int32_t devices) {
  // Your turn: how many micro-batches are under way?
  return 0;
}

std::vector<double> train_with_stash(double start, double rate,
                                     std::span<const double> inputs,
                                     std::int32_t late) {
  std::vector<double> versions = {start};
  // Your turn: which version does micro-batch k see, and which does it change?
  return versions;
}

}  // namespace pipeline
