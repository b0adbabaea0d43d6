/// \file
/// What every way to run a loop shares: its clock, and what becomes of errors. Internal
/// to the loop pipelines.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "data/loop_pipeline.hpp"

namespace pipeline::loop {

/// A loop being run. `work` may be called by all threads, by one at a time for each
/// stage.
class Run {
 public:
  /// Refuses nothing: see `fault_of`.
  Run(std::span<const LoopStage> stages, LoopShape shape) : stages_(stages) {
    timeline_.level = Level::HostThreads;
    timeline_.spans.assign(stages.size(),
                           std::vector<Span>(static_cast<std::size_t>(shape.items)));
  }

  /// Does stage `s` of an item, unless that item or one before it has failed.
  void work(std::size_t s, Token token) {
    if (token.item >= first_failed_.load()) return;
    const double start = now();
    auto done = stages_[s].work(token);
    timeline_.spans[s][static_cast<std::size_t>(token.item)] = {start, now()};
    if (!done) fail(token.item, std::move(done.error()));
  }
  /// Whether a further item is to enter.
  bool goes_on() const {
    return first_failed_.load() == std::numeric_limits<std::int32_t>::max();
  }
  /// Once all threads are done.
  Expected<Timeline> finish();

 private:
  void fail(std::int32_t item, Error error) {
    const std::lock_guard lock(mutex_);
    if (item >= first_failed_.load()) return;
    first_failed_.store(item);
    error_ = std::move(error);
  }
  double now() const {
    const auto since = std::chrono::steady_clock::now() - begin_;
    return std::chrono::duration<double>(since).count();
  }

  std::span<const LoopStage> stages_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Timeline timeline_;
  std::atomic<std::int32_t> first_failed_ = std::numeric_limits<std::int32_t>::max();
  std::mutex mutex_;
  std::optional<Error> error_;
};

/// What there is less than one of.
std::optional<Error> fault_of(std::span<const LoopStage> stages, LoopShape shape);

}  // namespace pipeline::loop
