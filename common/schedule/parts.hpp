/// \file
/// The parts of a run, numbered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// Into how many slices sequences are cut where nobody chose.
inline constexpr std::int32_t kDefaultSlices = 4;

/// The parts of a run, numbered in order: a part is a micro-batch, or a slice of one.
class Parts {
 public:
  /// The parts of all steps of a schedule.
  explicit Parts(const Schedule& schedule)
      : micro_batches_(schedule.micro_batches), count_(schedule.total_micro_batches()) {
    if (schedule.slices.empty()) return;
    begins_.reserve(schedule.slices.size() + 1);
    begins_.push_back(0);
    for (const std::int32_t slices : schedule.slices) {
      begins_.push_back(begins_.back() + slices);
    }
    count_ = begins_.back() * schedule.steps;
  }

  /// How many there are.
  std::int32_t count() const { return count_; }
  /// The number of a slice of a micro-batch.
  std::int32_t of(std::int32_t micro_batch, std::int32_t slice) const {
    if (begins_.empty()) return micro_batch;
    const std::int32_t step = micro_batch / micro_batches_;
    return step * begins_.back() + begin(micro_batch % micro_batches_) + slice;
  }
  /// How many slices a micro-batch is cut into.
  std::int32_t slices_of(std::int32_t micro_batch) const {
    if (begins_.empty()) return 1;
    const std::int32_t k = micro_batch % micro_batches_;
    return begin(k + 1) - begin(k);
  }
  /// The action of this kind on this stage for part number `part`.
  Action action(ActionKind kind, std::int32_t stage, std::int32_t part) const {
    if (begins_.empty()) return {kind, 0, stage, part};
    const std::int32_t step = part / begins_.back();
    const std::int32_t rest = part % begins_.back();
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), rest);
    const auto k = static_cast<std::int32_t>(after - begins_.begin()) - 1;
    return {kind, static_cast<std::int16_t>(rest - begin(k)), stage,
            step * micro_batches_ + k};
  }

 private:
  std::int32_t begin(std::int32_t k) const {
    return begins_[static_cast<std::size_t>(k)];
  }

  std::int32_t micro_batches_;  // of a step
  std::int32_t count_;
  std::vector<std::int32_t> begins_;  // of the micro-batches of a step, and its end
};

}  // namespace pipeline
