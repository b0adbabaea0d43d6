// mistake: counts the stashed versions, and forgets the newest
// fails: VersionsKept.AreOneForEachMicroBatchUnderWay
// says: each with a version of its own
// points: 14
#include "exercise.hpp"

namespace pipeline {

std::int32_t versions_kept(std::int32_t stage, std::int32_t devices) {
  return devices - 1 - stage;
}

}  // namespace pipeline
