// mistake: looks for room at the new place only, not on the way to the old one
// fails: MayMoveForward.IfTheDeviceHoldsNoMoreThanTheLimitAllAlong
// says: What it holds counts in front of every place between
// points: 13
#include "exercise.hpp"

namespace pipeline {

bool may_move_forward(const Row& row, std::size_t /*from*/, std::size_t to,
                      std::int32_t limit) {
  std::int32_t held = 0;
  for (std::size_t i = 0; i < to; ++i) {
    if (row[i].action.kind == ActionKind::Forward) ++held;
    if (row[i].action.kind == ActionKind::WeightGradient) --held;
  }
  return held + 1 <= limit;
}

}  // namespace pipeline
