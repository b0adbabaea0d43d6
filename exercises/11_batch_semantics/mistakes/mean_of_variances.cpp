// mistake: the variance of the batch as the mean of the variances
// fails: WholeBatch.HasTheVarianceAroundThatMean
// says: the means of the micro-batches differ too
// points: 13
#include "exercise.hpp"

namespace pipeline {

Statistics whole_batch(const std::vector<Statistics>& micro_batches) {
  Statistics whole;
  for (const Statistics& part : micro_batches) whole.count += part.count;
  for (const Statistics& part : micro_batches) {
    whole.mean += part.mean * part.count / whole.count;
    whole.variance += part.variance * part.count / whole.count;
  }
  return whole;
}

}  // namespace pipeline
