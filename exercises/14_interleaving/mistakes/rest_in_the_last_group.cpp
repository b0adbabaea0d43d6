// mistake: all that is left over goes to the last group
// fails: GroupsOf.AreAsEvenAsTheyGo
// says: no two groups may differ by more than one
// points: 8
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> groups_of(std::int32_t devices, std::int32_t micro_batches) {
  const std::int32_t groups = std::max(1, micro_batches / devices);
  std::vector<std::int32_t> sizes(static_cast<std::size_t>(groups),
                                  micro_batches / groups);
  sizes.back() += micro_batches % groups;
  return sizes;
}

}  // namespace pipeline
