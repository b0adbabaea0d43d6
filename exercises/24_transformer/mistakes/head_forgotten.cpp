// mistake: the norm and the logits belong to no stage
// fails: FirstLayers.GiveEveryLayerToAStage
// says: and none may be dropped
// points: 21
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> first_layers(std::int32_t blocks, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  std::int32_t before = 0;
  for (std::int32_t s = 0; s < stages; ++s) {
    before += blocks / stages + (s < blocks % stages ? 1 : 0);
    first.push_back(1 + kBlockLayers * before);
  }
  return first;
}

}  // namespace pipeline
