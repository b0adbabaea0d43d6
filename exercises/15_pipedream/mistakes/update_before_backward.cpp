// mistake: the update stands before the backward whose gradient it needs
// fails: PipedreamRow.RunsEveryActionOnceInAnOrderThatCanRun
// says: with an update behind each backward
// points: 11
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

Row pipedream_row(std::int32_t stage, std::int32_t devices,
                  std::int32_t micro_batches) {
  Row row;
  const std::int32_t warm_up = std::min(devices - 1 - stage, micro_batches);
  std::int32_t forward = 0;
  while (forward < warm_up) row.push_back(forward_of(stage, forward++));
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    if (forward < micro_batches) row.push_back(forward_of(stage, forward++));
    row.push_back(update_of(stage, k));
    row.push_back(backward_of(stage, k));
  }
  return row;
}

}  // namespace pipeline
