/// \file
/// For the chapters that time a schedule on a network of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/executor.hpp"
#include "runtime/network.hpp"
#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Rows of made-up numbers with made-up labels, for what is about time alone: neither
/// constant nor zero, and the same on every machine.
class MadeUpRows {
 public:
  /// `rows` samples of `columns` floats, with labels below `classes`.
  MadeUpRows(std::int32_t rows, std::int32_t columns, std::int32_t classes);

  /// All of them; valid while this lives.
  Batch batch() const { return {inputs_.data(), labels_.data(), rows_}; }

 private:
  std::int32_t rows_;
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
};

/// How often a chapter runs what it times, after a first time that does not count.
inline constexpr int kTimedRuns = 5;

/// Which of several lengths is the one in the middle; there must be one.
std::size_t median_index(std::span<const double> lengths);

/// A batch a step, on the clock: of several runs the one with the median makespan.
Expected<RunResult> run_on_the_clock(PlacedNetwork& network, const Schedule& schedule,
                                     std::span<const Batch> batches,
                                     const ExecutorOptions& options = {});

/// On the clock where every device has a core or a GPU to itself, else a replay of
/// `alone`, what each action took by itself. The timeline's level says which.
Expected<Timeline> time_schedule(PlacedNetwork& network, const Schedule& schedule,
                                 std::span<const Batch> batches, const Costs& alone);

/// The same costs for every stage: the mean. Messages are free.
Costs all_alike(const Costs& measured);

/// Nothing, or a warning when other programs keep the cores busy.
std::string other_work();

/// How something on so many devices was timed, in words: on the clock, or replayed.
std::string how_timed(Level level, std::int32_t devices);

}  // namespace pipeline
