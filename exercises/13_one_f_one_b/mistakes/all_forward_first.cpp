// mistake: all forwards first: that is GPipe, and holds m micro-batches
// fails: OneFOneBRow.HoldsNoMoreMicroBatchesThanStagesFromHereToTheEnd
// says: where 1F1B holds
// points: 10
#include "exercise.hpp"

namespace pipeline {

Row one_f_one_b_row(std::int32_t stage, std::int32_t /*devices*/,
                    std::int32_t micro_batches) {
  Row row;
  const std::int32_t ahead = micro_batches;
  for (std::int32_t k = 0; k < ahead; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = ahead; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k - ahead));
  }
  for (std::int32_t k = micro_batches - ahead; k < micro_batches; ++k) {
    row.push_back(backward_of(stage, k));
  }
  return row;
}

}  // namespace pipeline
