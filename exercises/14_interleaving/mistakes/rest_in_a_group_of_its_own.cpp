// mistake: groups of p, and what is left over in a group of its own
// fails: GroupsOf.HoldEveryMicroBatchAndAtLeastOneForEachDevice
// says: one for each device
// points: 7
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> groups_of(std::int32_t devices, std::int32_t micro_batches) {
  std::vector<std::int32_t> sizes;
  for (std::int32_t left = micro_batches; left > 0; left -= devices) {
    sizes.push_back(std::min(left, devices));
  }
  return sizes;
}

}  // namespace pipeline
