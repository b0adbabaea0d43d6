// mistake: as many layers in each stage, whatever they cost
// fails: BalancedCounts.MakeTheSlowestStageAsFastAsCanBe
// says: your split 2, 2, 2 makes stages that take 5, 2, 5
// points: 9
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> balanced_counts(const std::vector<double>& times,
                                          std::int32_t stages) {
  return even_counts(static_cast<std::int32_t>(times.size()), stages);
}

}  // namespace pipeline
