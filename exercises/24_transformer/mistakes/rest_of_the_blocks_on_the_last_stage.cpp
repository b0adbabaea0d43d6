// mistake: blocks that do not divide into the stages all go to the last one
// fails: FirstLayers.CutBetweenBlocksAsEvenAsItGoes
// says: Stages with one more come first
// points: 20
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> first_layers(std::int32_t blocks, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  for (std::int32_t s = 1; s < stages; ++s) {
    first.push_back(1 + kBlockLayers * s * (blocks / stages));
  }
  first.push_back(1 + kBlockLayers * blocks + 2);
  return first;
}

}  // namespace pipeline
