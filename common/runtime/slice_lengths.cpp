#include <algorithm>
#include <string>

#include "runtime/executor.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {

RowRange SliceLengths::range(std::int32_t positions, std::int32_t slices,
                             std::int32_t place, std::int32_t slice) const {
  if (lengths.empty()) return row_range(positions, slices, slice);
  const auto& own = lengths[lengths.size() == 1 ? 0 : static_cast<std::size_t>(place)];
  RowRange range;
  for (std::int32_t j = 0; j <= slice; ++j) {
    range = {range.end, range.end + own[static_cast<std::size_t>(j)]};
  }
  return range;
}

std::optional<Error> SliceLengths::fault_of(const Schedule& schedule,
                                            std::int32_t positions) const {
  if (schedule.slices.empty()) return std::nullopt;
  const std::int32_t most =
      *std::max_element(schedule.slices.begin(), schedule.slices.end());
  if (lengths.empty()) {
    if (positions >= most) return std::nullopt;
    return Error{"a sequence of " + counted(positions, "position") +
                     " cannot be cut into " + counted(most, "slice"),
                 "take longer sequences or fewer slices"};
  }
  if (lengths.size() != 1 && lengths.size() != schedule.slices.size()) {
    return Error{"there are slice lengths for " +
                     counted(static_cast<std::int64_t>(lengths.size()), "micro-batch") +
                     ", and a step has " + std::to_string(schedule.micro_batches),
                 "give one list for all micro-batches, or one for each"};
  }
  for (std::size_t k = 0; k < schedule.slices.size(); ++k) {
    const auto& own = lengths[lengths.size() == 1 ? 0 : k];
    std::int64_t sum = 0;
    bool all_positive = true;
    for (const std::int32_t length : own) {
      sum += length;
      all_positive &= length > 0;
    }
    if (static_cast<std::int32_t>(own.size()) == schedule.slices[k] && all_positive &&
        sum == positions) {
      continue;
    }
    return Error{"the slice lengths of micro-batch " + std::to_string(k) +
                     " do not cut " + counted(positions, "position") + " into " +
                     counted(schedule.slices[k], "slice"),
                 "give as many positive lengths, with that sum"};
  }
  return std::nullopt;
}

std::int32_t SliceLengths::longest(const Schedule& schedule,
                                   std::int32_t positions) const {
  if (schedule.slices.empty()) return positions;
  std::int32_t longest = 0;
  for (std::int32_t k = 0; k < schedule.micro_batches; ++k) {
    const std::int32_t slices = schedule.slices_of(k);
    for (std::int32_t j = 0; j < slices; ++j) {
      longest = std::max(longest, range(positions, slices, k, j).rows());
    }
  }
  return longest;
}

}  // namespace pipeline
