// Exercise 15: PipeDream. The task is in exercises/15_pipedream/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

Row pipedream_row(std::int32_t stage, std::int32_t devices,
                  std::int32_t micro_batches) {
  Row row;
  // <solution>
  const std::int32_t warm_up = std::min(devices - 1 - stage, micro_batches);
  std::int32_t forward = 0;
  while (forward < warm_up) row.push_back(forward_of(stage, forward++));
  // From here on one forward, as long as there are any, one backward and its update.
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    if (forward < micro_batches) row.push_back(forward_of(stage, forward++));
    row.push_back(backward_of(stage, k));
    row.push_back(update_of(stage, k));
  }
  //~ // Your turn: 1F1B over the whole run, with an update behind each backward.
  // </solution>
  return row;
}

std::int32_t version_used(std::int32_t stage, std::int32_t devices,
                          std::int32_t micro_batch) {
  // <solution>
  // The forward of micro-batch k comes p-1-s micro-batches before the backward that it
  // is paired with: so many updates are still to come.
  return std::max(0, micro_batch - (devices - 1 - stage));
  //~ // Your turn: how many updates stand before the forward in the row?
  //~ return 0;
  // </solution>
}

std::int32_t versions_kept(std::int32_t stage, std::int32_t devices) {
  // <solution>
  // As many micro-batches are under way, and each began with another version.
  return devices - stage;
  //~ // Your turn: how many micro-batches are under way?
  //~ return 0;
  // </solution>
}

std::vector<double> train_with_stash(double start, double rate,
                                     std::span<const double> inputs,
                                     std::int32_t late) {
  std::vector<double> versions = {start};
  // <solution>
  const auto behind = static_cast<std::size_t>(late);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const double used = versions[k < behind ? 0 : k - behind];
    const double gradient = inputs[k] * used;
    versions.push_back(versions.back() - rate * gradient);
  }
  //~ // Your turn: which version does micro-batch k see, and which does it change?
  // </solution>
  return versions;
}

}  // namespace pipeline
