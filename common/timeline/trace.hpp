/// \file
/// A timeline as Chrome trace JSON, for https://ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// The "Trace Event Format" (JSON object form): a process a timeline, a thread a device
/// ("device 0" has tid 1), a complete event (ph X) an action with its `kind`, `stage`,
/// `micro_batch` and `slice` as args (and its `copy` where the weights are held twice,
/// and the `version` of the weights as in csv.hpp), a flow (ph s, f) from cell to cell
/// for each transfer, and async events (ph b, e) for the sends and receives of lowered
/// rows. `otherData` holds the schedule's name and the level.
///
/// Times are in microseconds from the first start. Symbolic timelines are written at
/// one tick = 1000 µs.
Expected<std::string> to_trace(const Schedule& schedule, const Timeline& timeline);

/// Predicted and measured as two processes of one trace, each from its first start.
/// Both must count in the same unit: that of `measured`.
Expected<std::string> to_trace(const Schedule& schedule, const Timeline& predicted,
                               const Timeline& measured);

}  // namespace pipeline
