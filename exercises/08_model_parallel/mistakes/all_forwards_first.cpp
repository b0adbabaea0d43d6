// mistake: all forwards first: micro-batches overlap
// fails: ModelParallelRow.KeepsOneDeviceBusyAtATime
// says: two devices work at tick
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> split_layers(std::int32_t layers, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  for (std::int32_t s = 0; s < stages; ++s) {
    const std::int32_t extra = s < layers % stages ? 1 : 0;
    first.push_back(first.back() + layers / stages + extra);
  }
  return first;
}

Row model_parallel_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
  }
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(backward_of(stage, k));
  }
  return row;
}

double busy_share(std::int32_t devices) { return 1.0 / devices; }

}  // namespace pipeline
