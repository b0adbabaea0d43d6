// mistake: mean of means: every micro-batch counts alike
// fails: BatchLoss.IsTheMeanOverAllRows
// says: It is the mean of the means
// points: 14
#include "exercise.hpp"

namespace pipeline {

double batch_loss(const std::vector<double>& means,
                  const std::vector<std::int32_t>& rows) {
  double loss = 0;
  for (const double mean : means) loss += mean / static_cast<double>(rows.size());
  return loss;
}

}  // namespace pipeline
