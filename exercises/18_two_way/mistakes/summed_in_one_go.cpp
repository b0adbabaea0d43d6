// mistake: adds all micro-batches up in one go, as one device does
// fails: SumOfHalves.AddsEachHalfApart
// says: Another order rounds differently
// points: 16
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<float> sum_of_halves(const std::vector<std::vector<float>>& gradients) {
  std::vector<float> sum(gradients.front().size(), 0);
  for (const std::vector<float>& gradient : gradients) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
  }
  return sum;
}

}  // namespace pipeline
