// mistake: joins it with the backward, so that both would begin at once
// fails: WithRecomputes.MakesARowThatCanRun
// says: an entry of its own
// points: 11
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

Row with_recomputes(const Row& row, std::int32_t stage,
                    const std::vector<bool>& again) {
  Row longer;
  for (const Entry& entry : row) {
    const std::int32_t k = entry.action.micro_batch;
    if (entry.action.kind == ActionKind::Backward &&
        again[static_cast<std::size_t>(k)]) {
      longer.push_back(recompute_of(stage, k));
      longer.back().with_next = true;
    }
    longer.push_back(entry);
  }
  return longer;
}

}  // namespace pipeline
