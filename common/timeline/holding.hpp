/// \file
/// What a device holds from cell to cell of its row. Private to those who count
/// activations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/activations.hpp"
#include "timeline/memory.hpp"

namespace pipeline {

/// Activations of the same size: of micro-batches that are cut into the same number of
/// slices, on stages whose inputs have the same share of it.
struct Held {
  std::int32_t slices = 1;
  double input_share = 0;
  std::int32_t whole = 0;
  std::int32_t in_part = 0;  ///< between their InputGradient and their WeightGradient
  std::int32_t inputs = 0;   ///< between their Forward and their Recompute
};

/// What one device holds while its row is walked, cell by cell: what a cell makes is
/// there before what it frees is gone. Counts are kept, not sums of shares, so that
/// nothing drifts however long the row.
class Holding {
 public:
  Holding(const Schedule& schedule, const Recomputed& recomputed,
          const MemoryOptions& options)
      : schedule_(schedule),
        recomputed_(recomputed),
        options_(options),
        kept_share_(1 - options.freed_by_input_gradient) {}

  /// As the cell [first, last) begins.
  void make(const Entry* first, const Entry* last) {
    for (const Entry* entry = first; entry != last; ++entry) {
      if (entry->action.kind == ActionKind::Forward) {
        ++held(entry->action).whole;
        bytes_ += bytes_of(entry->action);
      } else if (entry->action.kind == ActionKind::Recompute) {
        make_again(entry->action);
      }
    }
  }

  /// As it ends.
  void release(const Entry* first, const Entry* last) {
    for (const Entry* entry = first; entry != last; ++entry) release(entry->action);
  }

  /// As `Memory::peak_chunks`.
  std::int32_t chunks() const {
    std::int32_t chunks = 0;
    for (const Held& of : held_) {
      chunks += of.whole + (kept_share_ > 0 ? of.in_part : 0);
    }
    return chunks;
  }

  /// As `Memory::peak`, but not yet divided by the stages that a micro-batch visits.
  double micro_batches() const {
    double sum = 0;
    for (const Held& of : held_) {
      sum += (of.whole + of.in_part * kept_share_ + of.inputs * of.input_share) /
             of.slices;
    }
    return sum;
  }

  double bytes() const { return bytes_; }

 private:
  void make_again(const Action& action) {
    --held(action).inputs;
    ++held(action).whole;
    bytes_ += bytes_of(action) - bytes_of(action) * input_share(action);
  }

  void keep_input(const Action& action) {
    --held(action).whole;
    ++held(action).inputs;
    bytes_ -= bytes_of(action) - bytes_of(action) * input_share(action);
  }

  void release(const Action& action) {
    switch (action.kind) {
      case ActionKind::Forward:
        if (recomputed_.contains(action)) return keep_input(action);
        if (schedule_.training) return;
        --held(action).whole;
        bytes_ -= bytes_of(action);
        return;
      case ActionKind::Backward:
        --held(action).whole;
        bytes_ -= bytes_of(action);
        return;
      case ActionKind::InputGradient:
        --held(action).whole;
        ++held(action).in_part;
        bytes_ -= bytes_of(action) - bytes_of(action) * kept_share_;
        return;
      case ActionKind::WeightGradient:
        --held(action).in_part;
        bytes_ -= bytes_of(action) * kept_share_;
        return;
      default:
        return;
    }
  }

  Held& held(const Action& action) {
    const std::int32_t slices = schedule_.slices_of(action.micro_batch);
    const double share = input_share(action);
    const auto found =
        std::find_if(held_.begin(), held_.end(), [slices, share](const Held& of) {
          return of.slices == slices && of.input_share == share;
        });
    if (found != held_.end()) return *found;
    return held_.emplace_back(Held{.slices = slices, .input_share = share});
  }

  double input_share(const Action& action) const {
    return options_.input_share.empty() ? 0 : of_stage(options_.input_share, action);
  }
  double bytes_of(const Action& action) const {
    if (options_.activation_bytes.empty()) return 0;
    return of_stage(options_.activation_bytes, action) /
           schedule_.slices_of(action.micro_batch);
  }
  static double of_stage(const std::vector<double>& values, const Action& action) {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(action.stage)];
  }

  const Schedule& schedule_;
  const Recomputed& recomputed_;
  const MemoryOptions& options_;
  double kept_share_;       ///< of an activation, between its I and its W
  std::vector<Held> held_;  ///< mostly one
  double bytes_ = 0;
};

/// The end of the cell that begins at `first`: behind the entries joined to it.
inline const Entry* end_of_cell(const Entry* first, const Entry* row_end) {
  while (first != row_end && first->with_next) ++first;
  return first != row_end ? first + 1 : first;
}

}  // namespace pipeline
