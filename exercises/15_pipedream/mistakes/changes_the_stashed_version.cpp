// mistake: the gradient is taken from the stashed version: updates in between are lost
// fails: TrainWithStash.TakesTheGradientAtTheStashedVersionAndChangesTheNewest
// says: not 2, 1.4, 1.8
// points: 13
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<double> train_with_stash(double start, double rate,
                                     std::span<const double> inputs,
                                     std::int32_t late) {
  std::vector<double> versions = {start};
  const auto behind = static_cast<std::size_t>(late);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const double used = versions[k < behind ? 0 : k - behind];
    versions.push_back(used - rate * inputs[k] * used);
  }
  return versions;
}

}  // namespace pipeline
