/// \file
/// A timeline as a table, for spreadsheets and scripts.
#pragma once

#include <string>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// A header line, then one line an action, row by row and in the order of each row:
///
///     device,kind,stage,micro_batch,slice,start,end,copy,version
///     0,forward,0,0,0,0,1,0,0
///
/// `copy` is the copy of the weights, 0 or 1. `version` is that of the weights which a
/// forward, backward, input gradient or recompute uses, or which an update makes (see
/// versions.hpp); empty for other kinds. `kind` is in words ("input gradient"). Times
/// are in the timeline's own unit (ticks or seconds), with at most nine digits after
/// the point. Nothing is left out: updates that take no time and the sends and receives
/// of lowered rows have their lines.
Expected<std::string> to_csv(const Schedule& schedule, const Timeline& timeline);

}  // namespace pipeline
