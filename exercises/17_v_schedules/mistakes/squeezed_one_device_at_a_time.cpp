// mistake: goes through the devices once, as if none waited for a later one
// fails: Squeeze.StartsEverythingAsEarlyAsItCan
// says: each starts once
// points: 12
#include <algorithm>
#include <map>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::vector<std::int32_t>> squeeze(const std::vector<Row>& rows,
                                               std::int32_t stages) {
  std::vector<std::vector<std::int32_t>> starts(rows.size());
  std::map<Action, std::int32_t> ends;
  for (std::size_t d = 0; d < rows.size(); ++d) {
    while (starts[d].size() < rows[d].size()) {
      const Action& action = rows[d][starts[d].size()].action;
      Action need = action;
      if (action.kind == ActionKind::Forward) {
        need.stage = action.stage - 1;
      } else if (action.kind == ActionKind::WeightGradient) {
        need.kind = ActionKind::InputGradient;
      } else if (action.stage == stages - 1) {
        need.kind = ActionKind::Forward;
      } else {
        need.stage = action.stage + 1;
      }
      std::int32_t start = starts[d].empty() ? 0 : starts[d].back() + 1;
      if (need.stage >= 0) {
        const auto ended = ends.find(need);
        if (ended == ends.end()) break;
        start = std::max(start, ended->second);
      }
      starts[d].push_back(start);
      ends[action] = start + 1;
    }
  }
  return starts;
}

}  // namespace pipeline
