// mistake: a wait for each pair, also where others keep the order already
// fails: WaitsNeeded.AreNoneTooMany
// says: is superfluous
// points: 17
#include "exercise.hpp"

namespace pipeline {

std::vector<Pair> waits_needed(const std::vector<Operation>& operations) {
  return unordered(operations, {});
}

}  // namespace pipeline
