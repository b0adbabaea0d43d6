// Exercise 08: model parallelism. The task is in exercises/08_model_parallel/README.md.
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> split_layers(std::int32_t layers, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  // <solution>
  // Every stage gets the whole quotient, and the first ones one layer of the remainder
  // each. Adding up lengths leaves no gap, and the last sum is the number of layers.
  for (std::int32_t s = 0; s < stages; ++s) {
    const std::int32_t extra = s < layers % stages ? 1 : 0;
    first.push_back(first.back() + layers / stages + extra);
  }
  //~ // Your turn: 30 layers on 4 stages are 8, 8, 7, 7.
  // </solution>
  return first;
}

Row model_parallel_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  // <solution>
  // The backward of k stands before the forward of k+1: stage 0 does not send the next
  // one in before the gradient of the last one is back, and so nothing overlaps.
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k));
  }
  //~ // Your turn: row.push_back(forward_of(stage, 0)) is how an entry gets in.
  // </solution>
  return row;
}

double busy_share(std::int32_t devices) {
  // <solution>
  // One device works at a time, and all of them work as long as each other.
  return 1.0 / devices;
  //~ // Your turn: how many devices work at any moment?
  //~ return 0;
  // </solution>
}

}  // namespace pipeline
