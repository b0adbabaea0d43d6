#include "timeline/memory.hpp"

#include <algorithm>
#include <cstddef>

#include "schedule/activations.hpp"

namespace pipeline {
namespace {

/// Activations of the same size: of micro-batches that are cut into the same number of
/// slices, on stages whose inputs have the same share of it.
struct Held {
  std::int32_t slices = 1;
  double input_share = 0;
  std::int32_t whole = 0;
  std::int32_t in_part = 0;  ///< between their InputGradient and their WeightGradient
  std::int32_t inputs = 0;   ///< between their Forward and their Recompute
};

/// What one device holds while its row is walked. Counts are kept, not sums of shares,
/// so that nothing drifts however long the row.
class Holding {
 public:
  Holding(const Schedule& schedule, const Recomputed& recomputed,
          const MemoryOptions& options)
      : schedule_(schedule),
        recomputed_(recomputed),
        options_(options),
        kept_share_(1 - options.freed_by_input_gradient) {}

  /// One cell: what it makes is there before what it frees is gone.
  void run(const Entry* first, const Entry* last) {
    for (const Entry* entry = first; entry != last; ++entry) {
      if (entry->action.kind == ActionKind::Forward) {
        ++held(entry->action).whole;
        held_bytes_ += bytes_of(entry->action);
      } else if (entry->action.kind == ActionKind::Recompute) {
        make_again(entry->action);
      }
    }
    note_peak();
    for (const Entry* entry = first; entry != last; ++entry) release(entry->action);
  }

  std::int32_t peak_chunks() const { return peak_chunks_; }
  double peak() const { return peak_; }
  double peak_bytes() const { return peak_bytes_; }

 private:
  void make_again(const Action& action) {
    --held(action).inputs;
    ++held(action).whole;
    held_bytes_ += bytes_of(action) - bytes_of(action) * input_share(action);
  }

  void keep_input(const Action& action) {
    --held(action).whole;
    ++held(action).inputs;
    held_bytes_ -= bytes_of(action) - bytes_of(action) * input_share(action);
  }

  void release(const Action& action) {
    switch (action.kind) {
      case ActionKind::Forward:
        if (recomputed_.contains(action)) return keep_input(action);
        if (schedule_.training) return;
        --held(action).whole;
        held_bytes_ -= bytes_of(action);
        return;
      case ActionKind::Backward:
        --held(action).whole;
        held_bytes_ -= bytes_of(action);
        return;
      case ActionKind::InputGradient:
        --held(action).whole;
        ++held(action).in_part;
        held_bytes_ -= bytes_of(action) - bytes_of(action) * kept_share_;
        return;
      case ActionKind::WeightGradient:
        --held(action).in_part;
        held_bytes_ -= bytes_of(action) * kept_share_;
        return;
      default:
        return;
    }
  }

  void note_peak() {
    std::int32_t chunks = 0;
    double micro_batches = 0;
    for (const Held& of : held_) {
      chunks += of.whole + (kept_share_ > 0 ? of.in_part : 0);
      micro_batches +=
          (of.whole + of.in_part * kept_share_ + of.inputs * of.input_share) /
          of.slices;
    }
    peak_chunks_ = std::max(peak_chunks_, chunks);
    peak_ = std::max(peak_, micro_batches);
    peak_bytes_ = std::max(peak_bytes_, held_bytes_);
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
  double held_bytes_ = 0;
  std::int32_t peak_chunks_ = 0;
  double peak_ = 0;
  double peak_bytes_ = 0;
};

}  // namespace

Memory memory(const Schedule& schedule, const MemoryOptions& options) {
  Memory memory;
  const std::vector<std::int32_t> visits = stages_visited(schedule);
  const Recomputed recomputed(schedule);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    Holding holding(schedule, recomputed, options);
    const Row& row = schedule.rows[d];
    const Entry* const end = row.data() + row.size();
    for (const Entry* first = row.data(); first != end;) {
      const Entry* last = first;
      while (last != end && last->with_next) ++last;
      if (last != end) ++last;
      holding.run(first, last);
      first = last;
    }
    memory.peak_chunks.push_back(holding.peak_chunks());
    memory.peak.push_back(visits[d] > 0 ? holding.peak() / visits[d] : 0);
    if (!options.activation_bytes.empty()) {
      memory.peak_bytes.push_back(holding.peak_bytes());
    }
  }
  return memory;
}

}  // namespace pipeline
