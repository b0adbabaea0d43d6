// mistake: each operation waits for the last conflict alone
// fails: WaitsNeeded.KeepEverythingInOrder
// says: may change places
// points: 15
#include "exercise.hpp"

namespace pipeline {

std::vector<Pair> waits_needed(const std::vector<Operation>& operations) {
  std::vector<Pair> waits;
  for (const Pair& pair : unordered(operations, {})) {
    if (!waits.empty() && waits.back().later == pair.later) waits.pop_back();
    waits.push_back(pair);
  }
  return waits;
}

}  // namespace pipeline
