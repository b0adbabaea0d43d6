#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  int n = devices - stage - 1;
  return n <= micro_batches ? n : micro_batches;
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  int n = warm_up(stage, devices, micro_batches);
  return n == micro_batches ? n : n + 1;
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  int done = 0;
  const int w = warm_up(stage, devices, micro_batches);
  for (int k = 0; k < micro_batches; k++) {
    row.push_back(forward_of(stage, k));
    if (k >= w) {
      row.push_back(backward_of(stage, done));
      done++;
    }
  }
  for (; done < micro_batches; done++) row.push_back(backward_of(stage, done));
  return row;
}

}  // namespace pipeline
