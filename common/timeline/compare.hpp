/// \file
/// Two timelines of one schedule laid over each other: what was predicted, and what was
/// measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/metrics.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// One row of the table: predicted | measured | ratio.
struct ComparedValue {
  std::string quantity;  ///< e.g. "makespan", "mean forward", "busy on device 2"
  double predicted = 0;
  double measured = 0;

  /// Measured over predicted; 1 if both are 0, infinite if only the prediction is.
  double ratio() const;
};

struct ComparedKind {
  ActionKind kind = ActionKind::Forward;
  std::int64_t count = 0;  ///< how many of the schedule's actions are of this kind
  double predicted_mean = 0;
  double measured_mean = 0;
};

/// The entry whose start or end is furthest from where it was predicted, both timelines
/// counted from their own first start.
struct Deviation {
  std::int32_t device = 0;
  std::size_t entry = 0;  ///< its place in the device's row
  Action action;
  Span predicted;
  Span measured;
  double difference = 0;  ///< measured - predicted, of that start or end
};

struct Comparison {
  Level predicted_level = Level::Symbolic;
  Level measured_level = Level::HostThreads;
  Metrics predicted;
  Metrics measured;
  std::vector<ComparedKind> kinds;  ///< those that occur, in the order of the enum
  Deviation largest;

  double makespan_ratio() const {
    return ComparedValue{"", predicted.makespan, measured.makespan}.ratio();
  }
};

/// Computations only; joined entries are not counted in `kinds`, which hold single
/// actions. Refuses timelines that do not have one span for each entry of the schedule.
Expected<Comparison> compare(const Schedule& schedule, const Timeline& predicted,
                             const Timeline& measured);

/// The comparison as rows: makespan, idle fraction, the mean of each kind, then busy
/// and idle time of each device.
std::vector<ComparedValue> compared_values(const Comparison& comparison);

}  // namespace pipeline
