// mistake: every stage uses the version of the first one: that is vertical sync
// fails: VersionUsed.IsHowManyUpdatesStandBeforeTheForward
// says: it has made 1 updates, and you say 0
// points: 13
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t version_used(std::int32_t /*stage*/, std::int32_t devices,
                          std::int32_t micro_batch) {
  return std::max(0, micro_batch - (devices - 1));
}

}  // namespace pipeline
