// mistake: re-computes every micro-batch, asked for or not
// fails: WithRecomputes.RecomputesThoseThatAreAskedForAndNoOthers
// says: Those with an even number were to be re-computed
// points: 10
#include "exercise.hpp"

namespace pipeline {

Row with_recomputes(const Row& row, std::int32_t stage,
                    const std::vector<bool>& /*again*/) {
  Row longer;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Backward) {
      longer.push_back(recompute_of(stage, entry.action.micro_batch));
    }
    longer.push_back(entry);
  }
  return longer;
}

}  // namespace pipeline
