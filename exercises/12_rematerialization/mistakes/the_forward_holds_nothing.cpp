// mistake: a forward that will be re-computed is thought to make nothing but the input
// fails: MostHeld.CountsTheInputsOfThoseThatWereForgotten
// says: holds 2 at once, and you say 1, where inputs are
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double most_held(const Row& row, double input_share) {
  const std::vector<std::int32_t> again = order_of(row, ActionKind::Recompute);
  double held = 0;
  double most = 0;
  for (const Entry& entry : row) {
    const ActionKind kind = entry.action.kind;
    const bool forgotten =
        std::count(again.begin(), again.end(), entry.action.micro_batch) > 0;
    if (kind == ActionKind::Forward) held += forgotten ? input_share : 1;
    if (kind == ActionKind::Recompute) held += 1 - input_share;
    most = std::max(most, held);
    if (kind == ActionKind::Backward) held -= 1;
  }
  return most;
}

}  // namespace pipeline
