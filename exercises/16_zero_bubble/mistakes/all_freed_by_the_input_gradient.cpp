// mistake: an activation is taken for free once its input gradient has run
// fails: MostHeld.CountsAPartBetweenInputAndWeightGradient
// says: two whole activations and
// points: 15
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double most_held(const Row& row, double /*freed*/) {
  double held = 0;
  double most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) held += 1;
    if (entry.action.kind == ActionKind::InputGradient) held -= 1;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace pipeline
