// mistake: both ways number their micro-batches from 0
// fails: TwoWayRow.RunsEveryActionOnceInAnOrderThatCanRun
// says: of that way, each once
// points: 12
#include <algorithm>
#include <utility>
#include <vector>

#include "exercise.hpp"

namespace pipeline {

Row two_way_row(std::int32_t device, std::int32_t devices) {
  std::vector<std::pair<std::int32_t, Entry>> slots;
  const std::int32_t half = devices / 2;
  for (const std::int32_t copy : {0, 1}) {
    const std::int32_t stage = stage_of(device, devices, copy);
    for (std::int32_t i = 0; i < half; ++i) {
      slots.emplace_back(2 * i + stage, forward_of(stage, i));
      slots.emplace_back(2 * i + 2 * devices - 1 - stage, backward_of(stage, i));
    }
  }
  std::sort(slots.begin(), slots.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Row row;
  for (const auto& [slot, entry] : slots) row.push_back(entry);
  return row;
}

}  // namespace pipeline
