// mistake: gradients below the limit are scaled up to it
// fails: ClipFactor.BringsTheNormOfAllGradientsDownToTheLimit
// says: Smaller ones stay as they are
// points: 20
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

double clip_factor(const std::vector<std::vector<double>>& squares, double limit) {
  double sum = 0;
  for (const std::vector<double>& stage : squares) {
    for (const double square : stage) sum += square;
  }
  return limit / std::sqrt(sum);
}

}  // namespace pipeline
