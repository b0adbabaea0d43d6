// Exercise 13: 1F1B. The task is in exercises/13_one_f_one_b/README.md.
#include "exercise.hpp"

#include <algorithm>

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  // <solution>
  // The first gradient comes back to a stage once its first micro-batch has gone
  // through the stages behind it. That many forwards fit in before; but not more than
  // there are.
  return std::min(devices - 1 - stage, micro_batches);
  //~ // Your turn: how many stages lie behind this one?
  //~ return 0;
  // </solution>
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  // <solution>
  // The warm-up, and the forward of the first pair; from there on each backward frees
  // what the next forward takes.
  return std::min(devices - stage, micro_batches);
  //~ // Your turn: what is held when the first backward begins?
  //~ return 0;
  // </solution>
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  // <solution>
  const std::int32_t ahead = warm_up(stage, devices, micro_batches);
  for (std::int32_t k = 0; k < ahead; ++k) row.push_back(forward_of(stage, k));
  // In the steady state the forwards stay `ahead` micro-batches before the backwards.
  for (std::int32_t k = ahead; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k - ahead));
  }
  // What was begun in the warm-up is still to be taken back.
  for (std::int32_t k = micro_batches - ahead; k < micro_batches; ++k) {
    row.push_back(backward_of(stage, k));
  }
  //~ // Your turn: warm up, then one forward and one backward in turn, then the rest.
  // </solution>
  return row;
}

}  // namespace pipeline
