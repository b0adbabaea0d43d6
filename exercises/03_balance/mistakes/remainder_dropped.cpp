// mistake: the layers that are left over are dropped
// fails: EvenCounts.DropsNoLayer
// says: what is left over belongs somewhere
// points: 10
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> even_counts(std::int32_t layers, std::int32_t stages) {
  return std::vector<std::int32_t>(static_cast<std::size_t>(stages), layers / stages);
}

}  // namespace pipeline
