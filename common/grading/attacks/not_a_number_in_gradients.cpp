// attack: gradients for which every comparison is false
// ends: ok
// exercise: 10
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t, std::int32_t) { return {}; }
std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>&) {
  return std::vector<double>(gradients.front().size(), std::nan(""));
}
std::int32_t micro_batches_needed(std::int32_t, std::int32_t) { return INT32_MIN; }

}  // namespace pipeline
