// mistake: counts what is kept, and forgets the one that is being made
// fails: Choose.StaysWithinTheLimit
// says: over the limit of
// points: 12
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<bool> choose(const Row& row, std::int32_t stage, std::int32_t micro_batches,
                         double limit, double input_share) {
  std::vector<bool> again(static_cast<std::size_t>(micro_batches), true);
  for (const std::int32_t k : order_of(row, ActionKind::Backward)) {
    again[static_cast<std::size_t>(k)] = false;
    const double held = most_held(with_recomputes(row, stage, again), input_share);
    if (held > limit + 1) again[static_cast<std::size_t>(k)] = true;
  }
  return again;
}

}  // namespace pipeline
