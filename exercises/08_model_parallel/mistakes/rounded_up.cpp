// mistake: every stage rounded up: more layers than there are
// fails: SplitLayers.DropsNoLayerAndGivesNoneTwice
// says: the stages end at layer 4 of 3
// points: 6
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> split_layers(std::int32_t layers, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  for (std::int32_t s = 0; s < stages; ++s) {
    first.push_back(first.back() + (layers + stages - 1) / stages);
  }
  return first;
}

}  // namespace pipeline
