// Exercise 17: V schedules. The task is in exercises/17_v_schedules/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pipeline {

DeviceBlock fill_gaps(DeviceBlock block) {
  // Your turn: which ticks of the period are free?
  return block;
}

std::int32_t held_ticks(const DeviceBlock& block) {
  // Your turn: from where to where does each of the two chunks hold its activation?
  return 0;
}

std::int32_t peak_bound(const std::vector<DeviceBlock>& blocks) {
  // Your turn: how many of them overlap when a new one comes every 6 ticks?
  return 0;
}

bool may_move_forward(const Row& row, std::size_t from, std::size_t to,
                      std::int32_t limit) {
  // Your turn: what is held from `to` to `from`, with one more?
  return false;
}

std::vector<std::vector<std::int32_t>> squeeze(const std::vector<Row>& rows,
                                               std::int32_t stages) {
  std::vector<std::vector<std::int32_t>> starts(rows.size());
  // Your turn: go through the rows until the start of every entry is known.
  return starts;
}

}  // namespace pipeline
