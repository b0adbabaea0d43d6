// mistake: the newest micro-batch goes back first
// fails: OneFOneBRow.RunsTheBackwardsInTheOrderOfTheMicroBatches
// says: the oldest micro-batch goes back first
// points: 9
#include "exercise.hpp"

namespace pipeline {

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  const std::int32_t ahead = warm_up(stage, devices, micro_batches);
  for (std::int32_t k = 0; k < ahead; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = ahead; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k));
  }
  for (std::int32_t k = ahead - 1; k >= 0; --k) {
    row.push_back(backward_of(stage, k));
  }
  return row;
}

}  // namespace pipeline
