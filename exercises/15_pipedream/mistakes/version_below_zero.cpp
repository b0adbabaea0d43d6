// mistake: the first micro-batches get versions that never were
// fails: VersionUsed.IsHowManyUpdatesStandBeforeTheForward
// says: it has made 0 updates, and you say -1
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::int32_t version_used(std::int32_t stage, std::int32_t devices,
                          std::int32_t micro_batch) {
  return micro_batch - (devices - 1 - stage);
}

}  // namespace pipeline
