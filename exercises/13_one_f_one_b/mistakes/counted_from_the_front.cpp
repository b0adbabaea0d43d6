// mistake: warm-up counted from the first stage: the pipeline hangs
// fails: OneFOneBRow.RunsEveryActionOnceInAnOrderThatCanRun
// says: no row may wait for another in a circle
// points: 3
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t /*devices*/,
                     std::int32_t micro_batches) {
  return std::min(stage, micro_batches);
}

}  // namespace pipeline
