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
  double predicted = 0;  ///< of the prediction, in its unit of time
  double measured = 0;   ///< of the run

  /// Measured over predicted; 1 if both are 0, infinite if only the prediction is.
  double ratio() const;
};

/// The actions of one kind.
struct ComparedKind {
  ActionKind kind = ActionKind::Forward;  ///< which
  std::int64_t count = 0;     ///< how many of the schedule's actions are of this kind
  double predicted_mean = 0;  ///< mean duration
  double measured_mean = 0;   ///< mean duration
};

/// The entry whose start or end is furthest from where it was predicted, both timelines
/// counted from their own first start.
struct Deviation {
  std::int32_t device = 0;  ///< that runs it
  std::size_t entry = 0;    ///< its place in the device's row
  Action action;            ///< the first of the entry
  Span predicted;           ///< when it was to run
  Span measured;            ///< when it ran
  double difference = 0;    ///< measured - predicted, of that start or end
};

/// All that two timelines of one schedule differ in.
struct Comparison {
  Level predicted_level = Level::Symbolic;    ///< where the prediction comes from
  Level measured_level = Level::HostThreads;  ///< where the measurement comes from
  Metrics predicted;                          ///< of the prediction
  Metrics measured;                           ///< of the run
  std::vector<ComparedKind> kinds;  ///< those that occur, in the order of the enum
  Deviation largest;                ///< what came furthest from where it was to be

  /// Measured over predicted.
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
