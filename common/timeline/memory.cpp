#include "timeline/memory.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {
namespace {

/// Activations of micro-batches that are cut into the same number of slices.
struct Held {
  std::int32_t slices = 1;
  std::int32_t whole = 0;
  std::int32_t in_part = 0;  ///< between their InputGradient and their WeightGradient
};

/// What one device holds while its row is walked. Counts are kept, not sums of shares,
/// so that nothing drifts however long the row.
class Holding {
 public:
  Holding(const Schedule& schedule, const MemoryOptions& options)
      : schedule_(schedule),
        kept_share_(1 - options.freed_by_input_gradient),
        bytes_(options.activation_bytes),
        held_(1) {}

  /// One cell: what it makes is there before what it frees is gone.
  void run(const Entry* first, const Entry* last) {
    for (const Entry* entry = first; entry != last; ++entry) {
      if (entry->action.kind == ActionKind::Forward) {
        ++held(entry->action).whole;
        held_bytes_ += bytes_of(entry->action);
      }
    }
    note_peak();
    for (const Entry* entry = first; entry != last; ++entry) release(entry->action);
  }

  std::int32_t peak_chunks() const { return peak_chunks_; }
  double peak() const { return peak_; }
  double peak_bytes() const { return peak_bytes_; }

 private:
  void release(const Action& action) {
    switch (action.kind) {
      case ActionKind::Forward:
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
      micro_batches += (of.whole + of.in_part * kept_share_) / of.slices;
    }
    peak_chunks_ = std::max(peak_chunks_, chunks);
    peak_ = std::max(peak_, micro_batches);
    peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  }

  Held& held(const Action& action) {
    const std::int32_t slices = schedule_.slices_of(action.micro_batch);
    const auto found =
        std::find_if(held_.begin(), held_.end(),
                     [slices](const Held& of) { return of.slices == slices; });
    return found != held_.end() ? *found : held_.emplace_back(Held{.slices = slices});
  }

  double bytes_of(const Action& action) const {
    if (bytes_.empty()) return 0;
    return bytes_[bytes_.size() == 1 ? 0 : static_cast<std::size_t>(action.stage)] /
           schedule_.slices_of(action.micro_batch);
  }

  const Schedule& schedule_;
  double kept_share_;  ///< of an activation, between its I and its W
  const std::vector<double>& bytes_;
  std::vector<Held> held_;  ///< mostly one
  double held_bytes_ = 0;
  std::int32_t peak_chunks_ = 0;
  double peak_ = 0;
  double peak_bytes_ = 0;
};

/// Per device: how many of its stages one micro-batch visits.
std::vector<std::int32_t> visits_of(const Schedule& schedule) {
  std::vector<std::int32_t> visits(schedule.rows.size(), 0);
  for (std::int32_t copy = 0; copy < schedule.placement.copies(); ++copy) {
    std::vector<std::int32_t> of_copy(schedule.rows.size(), 0);
    for (std::int32_t stage = 0; stage < schedule.stages(); ++stage) {
      const std::int32_t device = schedule.placement.device_of(stage, copy);
      std::int32_t& here = of_copy[static_cast<std::size_t>(device)];
      ++here;
      visits[static_cast<std::size_t>(device)] =
          std::max(visits[static_cast<std::size_t>(device)], here);
    }
  }
  return visits;
}

}  // namespace

Memory memory(const Schedule& schedule, const MemoryOptions& options) {
  Memory memory;
  const std::vector<std::int32_t> visits = visits_of(schedule);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    Holding holding(schedule, options);
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
