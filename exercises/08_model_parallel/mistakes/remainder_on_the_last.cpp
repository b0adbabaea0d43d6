// mistake: the last stage takes all that is left
// fails: SplitLayers.KeepsStagesAsEvenAsTheyGo
// says: no stage may hold two more
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> split_layers(std::int32_t layers, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  for (std::int32_t s = 0; s < stages; ++s) {
    first.push_back(s + 1 < stages ? first.back() + layers / stages : layers);
  }
  return first;
}

}  // namespace pipeline
