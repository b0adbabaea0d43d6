// mistake: the gradient is taken at the newest version: nothing is stashed
// fails: TrainWithStash.TakesTheGradientAtTheStashedVersionAndChangesTheNewest
// says: not 2, 1.4, 1.26
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::vector<double> train_with_stash(double start, double rate,
                                     std::span<const double> inputs,
                                     std::int32_t /*late*/) {
  std::vector<double> versions = {start};
  for (const double input : inputs) {
    versions.push_back(versions.back() - rate * input * versions.back());
  }
  return versions;
}

}  // namespace pipeline
