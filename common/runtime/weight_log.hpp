/// \file
/// What the work on a stage itself sees of the versions of its weights: the measured
/// side of `WeightVersions`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeline {

/// Touched by the compute stream of the stage's device alone.
class WeightLog {
 public:
  /// Of a stage with so many buffers of weights, over all micro-batches of a run.
  WeightLog(std::int32_t buffers, std::int32_t micro_batches)
      : version_in_(static_cast<std::size_t>(buffers), kNone),
        used_by_(static_cast<std::size_t>(micro_batches), 0) {
    begin();
  }

  /// A run begins: buffer 0 holds the only version there is.
  void begin() {
    std::fill(version_in_.begin(), version_in_.end(), kNone);
    version_in_.front() = 0;
    most_stale_ = 0;
  }
  /// A micro-batch's forward uses what is in a buffer.
  void forward(std::int32_t buffer, std::int32_t micro_batch) {
    used_by_[static_cast<std::size_t>(micro_batch)] = version_in(buffer);
  }
  /// The gradients of micro-batches [first, end) are added to what buffer `from` holds.
  void update(std::int32_t from, std::int32_t to, std::int32_t first,
              std::int32_t end) {
    for (std::int32_t k = first; k < end; ++k) {
      most_stale_ = std::max(most_stale_,
                             version_in(from) - used_by_[static_cast<std::size_t>(k)]);
    }
    version_in_[static_cast<std::size_t>(to)] = version_in(from) + 1;
  }

  /// Buffers that have held a version.
  std::int32_t most_versions() const {
    return static_cast<std::int32_t>(
        std::count_if(version_in_.begin(), version_in_.end(),
                      [](std::int32_t version) { return version != kNone; }));
  }
  /// By how many updates the weights had moved on between a gradient and its use.
  std::int32_t most_stale() const { return most_stale_; }

 private:
  static constexpr std::int32_t kNone = -1;
  std::int32_t version_in(std::int32_t buffer) const {
    return version_in_[static_cast<std::size_t>(buffer)];
  }

  std::vector<std::int32_t> version_in_;  // by buffer
  std::vector<std::int32_t> used_by_;     // by micro-batch
  std::int32_t most_stale_ = 0;
};

}  // namespace pipeline
