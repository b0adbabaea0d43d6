// Exercise 17: V schedules. The task is in exercises/17_v_schedules/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pipeline {

DeviceBlock fill_gaps(DeviceBlock block) {
  // <solution>
  // The next micro-batches take the same ticks of their periods: what counts is the
  // tick modulo the period.
  std::set<std::int32_t> taken;
  for (const std::int32_t tick :
       {block.forward0, block.forward1, block.input_gradient1, block.input_gradient0}) {
    taken.insert(tick % kTicksBetween);
  }
  const auto gap_after = [&](std::int32_t tick) {
    do {
      ++tick;
    } while (!taken.insert(tick % kTicksBetween).second);
    return tick;
  };
  block.weight_gradient1 = gap_after(block.input_gradient1);
  block.weight_gradient0 = gap_after(block.input_gradient0);
  //~ // Your turn: which ticks of the period are free?
  // </solution>
  return block;
}

std::int32_t held_ticks(const DeviceBlock& block) {
  // <solution>
  // A weight gradient that starts in tick t ends at t + 1, and frees what it needs only
  // then.
  return block.weight_gradient0 + 1 - block.forward0 + block.weight_gradient1 + 1 -
         block.forward1;
  //~ // Your turn: from where to where does each of the two chunks hold its activation?
  //~ return 0;
  // </solution>
}

std::int32_t peak_bound(const std::vector<DeviceBlock>& blocks) {
  // <solution>
  // Held for h ticks, one every 6: h/6 activations in the mean. Two of them are what
  // one micro-batch has on a device. A started one counts whole.
  constexpr std::int32_t kWhole = 2 * kTicksBetween;
  std::int32_t bound = 0;
  for (const DeviceBlock& block : blocks) {
    bound = std::max(bound, (held_ticks(block) + kWhole - 1) / kWhole);
  }
  return bound;
  //~ // Your turn: how many of them overlap when a new one comes every 6 ticks?
  //~ return 0;
  // </solution>
}

bool may_move_forward(const Row& row, std::size_t from, std::size_t to,
                      std::int32_t limit) {
  // <solution>
  // Moved, it is held on top of whatever was held from `to` on. What the row frees
  // before `from` comes too late.
  std::int32_t held = 0;
  for (std::size_t i = 0; i < from; ++i) {
    if (i >= to && held + 1 > limit) return false;
    if (row[i].action.kind == ActionKind::Forward) ++held;
    if (row[i].action.kind == ActionKind::WeightGradient) --held;
  }
  return true;
  //~ // Your turn: what is held from `to` to `from`, with one more?
  //~ return false;
  // </solution>
}

std::vector<std::vector<std::int32_t>> squeeze(const std::vector<Row>& rows,
                                               std::int32_t stages) {
  std::vector<std::vector<std::int32_t>> starts(rows.size());
  // <solution>
  std::map<Action, std::int32_t> ends;
  const auto need_of = [&](const Action& action) {
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
    return need;
  };
  // Each device goes on as long as what it needs is known; what stops it is known after
  // another has gone on.
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t d = 0; d < rows.size(); ++d) {
      while (starts[d].size() < rows[d].size()) {
        const Action& action = rows[d][starts[d].size()].action;
        std::int32_t start = starts[d].empty() ? 0 : starts[d].back() + 1;
        if (action.kind != ActionKind::Forward || action.stage > 0) {
          const auto need = ends.find(need_of(action));
          if (need == ends.end()) break;
          start = std::max(start, need->second);
        }
        starts[d].push_back(start);
        ends[action] = start + 1;
        moved = true;
      }
    }
  }
  //~ // Your turn: go through the rows until the start of every entry is known.
  // </solution>
  return starts;
}

}  // namespace pipeline
