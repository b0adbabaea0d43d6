// mistake: tries to keep those first that are needed last
// fails: Choose.RecomputesAsFewAsWillDo
// says: with 1 re-computations, and you make 6. Keep those first
// points: 13
#include <algorithm>
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<bool> choose(const Row& row, std::int32_t stage, std::int32_t micro_batches,
                         double limit, double input_share) {
  std::vector<bool> again(static_cast<std::size_t>(micro_batches), true);
  std::vector<std::int32_t> order = order_of(row, ActionKind::Backward);
  std::reverse(order.begin(), order.end());
  for (const std::int32_t k : order) {
    again[static_cast<std::size_t>(k)] = false;
    const double held = most_held(with_recomputes(row, stage, again), input_share);
    if (held > limit + 1e-9) again[static_cast<std::size_t>(k)] = true;
  }
  return again;
}

}  // namespace pipeline
