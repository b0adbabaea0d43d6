// mistake: the layers that do not divide evenly are dropped
// fails: SplitLayers.DropsNoLayerAndGivesNoneTwice
// says: the stages end at layer 2 of 3
// points: 6
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> split_layers(std::int32_t layers, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  for (std::int32_t s = 0; s < stages; ++s) {
    first.push_back(first.back() + layers / stages);
  }
  return first;
}

}  // namespace pipeline
