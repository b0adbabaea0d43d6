#include "timeline/memory.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {
namespace {

/// What one device holds while its row is walked. Counts are kept, not sums of shares,
/// so that nothing drifts however long the row.
class Holding {
 public:
  Holding(const Schedule& schedule, const MemoryOptions& options)
      : training_(schedule.training),
        kept_share_(1 - options.freed_by_input_gradient),
        bytes_(options.activation_bytes) {}

  /// One cell: what it makes is there before what it frees is gone.
  void run(const Entry* first, const Entry* last) {
    for (const Entry* entry = first; entry != last; ++entry) {
      if (entry->action.kind == ActionKind::Forward) {
        ++whole_;
        held_bytes_ += bytes_of(entry->action.stage);
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
    const double bytes = bytes_of(action.stage);
    switch (action.kind) {
      case ActionKind::Forward:
        if (training_) return;
        --whole_;
        held_bytes_ -= bytes;
        return;
      case ActionKind::Backward:
        --whole_;
        held_bytes_ -= bytes;
        return;
      case ActionKind::InputGradient:
        --whole_;
        ++in_part_;
        held_bytes_ -= bytes - bytes * kept_share_;
        return;
      case ActionKind::WeightGradient:
        --in_part_;
        held_bytes_ -= bytes * kept_share_;
        return;
      default:
        return;
    }
  }

  void note_peak() {
    const std::int32_t chunks = whole_ + (kept_share_ > 0 ? in_part_ : 0);
    peak_chunks_ = std::max(peak_chunks_, chunks);
    peak_ = std::max(peak_, whole_ + in_part_ * kept_share_);
    peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  }

  double bytes_of(std::int32_t stage) const {
    if (bytes_.empty()) return 0;
    return bytes_[bytes_.size() == 1 ? 0 : static_cast<std::size_t>(stage)];
  }

  bool training_;
  double kept_share_;  ///< of an activation, between its I and its W
  const std::vector<double>& bytes_;
  std::int32_t whole_ = 0;
  std::int32_t in_part_ = 0;
  double held_bytes_ = 0;
  std::int32_t peak_chunks_ = 0;
  double peak_ = 0;
  double peak_bytes_ = 0;
};

}  // namespace

Memory memory(const Schedule& schedule, const MemoryOptions& options) {
  Memory memory;
  std::vector<std::int32_t> visits(schedule.rows.size(), 0);
  for (const std::int32_t device : schedule.placement.device_of_stage) {
    ++visits[static_cast<std::size_t>(device)];
  }
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
