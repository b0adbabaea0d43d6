/// \file
/// Everything that the command `schedule` has to say about one schedule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "schedule/verify.hpp"
#include "schedule/versions.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// A schedule, and all figures of it.
struct ScheduleReport {
  Schedule schedule;          ///< what is reported on
  std::vector<Fault> faults;  ///< all that `verify` found
  /// Empty where the schedule has faults that forbid running it.
  std::optional<Timeline> timeline;
  Metrics metrics;          ///< of the timeline, if there is one
  Memory memory;            ///< of its rows
  WeightVersions versions;  ///< of its stages' weights
};

/// Simulates and measures. A schedule that cannot run has only its faults; other
/// refusals of the simulation, such as costs too large, are passed on.
/// `sizes` say which shares of an activation I frees, and re-computation keeps.
Expected<ScheduleReport> make_report(Schedule schedule, const Costs& costs,
                                     std::vector<Fault> faults,
                                     const MemoryOptions& sizes);

/// The picture and its figures.
Expected<std::string> report_as_text(const ScheduleReport& report, bool verified,
                                     bool ascii, bool color);
/// The reason of each fault, or that there is none.
std::string faults_as_text(const ScheduleReport& report);

/// An object with these keys. Figures that need times are null where the schedule
/// cannot run.
///
///     schedule, devices, stages, micro_batches, steps
///     makespan, ideal, longest_span, idle_fraction, idle_overhead, span_bubble
///     internal_idle   list, one a device
///     peak_chunks     list: for each device the most activations of one stage and one
///                     micro-batch held at once
///     peak            list: the same over the number of stages that one micro-batch
///                     visits on that device
///     recomputed      list, one a device: forwards that run twice
///     weight_versions list, one a stage: most versions of its weights kept at once
///     staleness       list, one a stage: the most updates by which a gradient is late
///     faults          list of strings, empty when valid
///     rows            with `with_rows`: for each device a list of {"kind", "stage",
///                     "micro_batch", "slice", "start", "end"}
std::string report_as_json(const ScheduleReport& report, bool with_rows);

/// The figure as SVG; there must be a timeline.
Expected<std::string> draw_report_svg(const ScheduleReport& report);
/// The timeline as CSV; there must be one.
Expected<std::string> report_as_csv(const ScheduleReport& report);
/// The timeline as a Chrome trace; there must be one.
Expected<std::string> report_as_trace(const ScheduleReport& report);

}  // namespace pipeline
