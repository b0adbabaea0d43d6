// mistake: no warm-up: one micro-batch under way at a time
// fails: PipedreamRow.TakesNotATickMoreThanItMust
// says: one that never runs empty takes
// points: 12
#include "exercise.hpp"

namespace pipeline {

Row pipedream_row(std::int32_t stage, std::int32_t /*devices*/,
                  std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k));
    row.push_back(update_of(stage, k));
  }
  return row;
}

}  // namespace pipeline
