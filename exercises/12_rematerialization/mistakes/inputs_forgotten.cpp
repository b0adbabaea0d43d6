// mistake: counts nothing for the inputs that are kept
// fails: MostHeld.CountsTheInputsOfThoseThatWereForgotten
// says: holds 3.25 at once, and you say 3, where inputs are
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double most_held(const Row& row, double /*input_share*/) {
  const std::vector<std::int32_t> again = order_of(row, ActionKind::Recompute);
  double held = 0;
  double most = 0;
  for (const Entry& entry : row) {
    const ActionKind kind = entry.action.kind;
    if (kind == ActionKind::Forward || kind == ActionKind::Recompute) held += 1;
    most = std::max(most, held);
    const bool forgotten =
        kind == ActionKind::Forward &&
        std::count(again.begin(), again.end(), entry.action.micro_batch) > 0;
    if (forgotten || kind == ActionKind::Backward) held -= 1;
  }
  return most;
}

}  // namespace pipeline
