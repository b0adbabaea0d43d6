// Exercise 13: 1F1B. The task is in exercises/13_one_f_one_b/README.md.
#include "exercise.hpp"

#include <algorithm>

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  // Your turn: how many stages lie behind this one?
  return 0;
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  // Your turn: what is held when the first backward begins?
  return 0;
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  // Your turn: warm up, then one forward and one backward in turn, then the rest.
  return row;
}

}  // namespace pipeline
