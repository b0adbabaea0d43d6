#include "schedule/bounds.hpp"

#include <string>
#include <utility>

namespace pipeline {

std::optional<Error> refuse_count(std::string_view what, std::int64_t value,
                                  std::int64_t maximum) {
  const std::string name(what);
  if (value < 1) {
    return Error{
        name + " must be at least 1, but " + std::to_string(value) + " was asked for",
        "ask for 1 or more " + name};
  }
  if (value > maximum) {
    return Error{name + " may be at most " + std::to_string(maximum) + ", but " +
                     std::to_string(value) + " was asked for",
                 "ask for fewer " + name};
  }
  return std::nullopt;
}

std::optional<Error> refuse_size(std::int64_t stages, std::int64_t micro_batches,
                                 std::int64_t steps, std::int64_t actions_per_cell) {
  // Multiplied up one factor at a time, so that nothing can overflow.
  std::int64_t actions = stages * actions_per_cell;
  for (const std::int64_t factor : {micro_batches, steps}) {
    if (actions > kMaximumActions / factor) {
      return Error{std::to_string(stages) + " stages times " +
                       std::to_string(micro_batches) + " micro-batches times " +
                       std::to_string(steps) + " steps is more than " +
                       std::to_string(kMaximumActions) + " actions",
                   "ask for fewer devices, micro-batches or steps"};
    }
    actions *= factor;
  }
  return std::nullopt;
}

std::optional<Error> refuse_slices(std::span<const std::int32_t> slices,
                                   std::int64_t stages, std::int64_t micro_batches,
                                   std::int64_t steps, std::int64_t actions_per_cell) {
  if (slices.empty()) return std::nullopt;
  if (std::cmp_not_equal(slices.size(), micro_batches)) {
    return Error{std::to_string(slices.size()) + " counts of slices are given for " +
                     std::to_string(micro_batches) + " micro-batches",
                 "give one count of slices for each micro-batch of a step"};
  }
  std::int64_t parts = 0;
  for (const std::int32_t count : slices) {
    if (auto error = refuse_count("slices", count, kMaximumSlices)) return error;
    parts += count;
  }
  const std::int64_t room = kMaximumActions / stages / steps / actions_per_cell;
  if (parts <= room) return std::nullopt;
  return Error{std::to_string(stages) + " stages times " + std::to_string(parts) +
                   " slices times " + std::to_string(steps) + " steps is more than " +
                   std::to_string(kMaximumActions) + " actions",
               "ask for fewer devices, slices or steps"};
}

}  // namespace pipeline
