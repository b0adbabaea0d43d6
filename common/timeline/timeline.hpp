/// \file
/// When everything happened: predicted by `simulate` or measured by the runtime, in the
/// same type, so that the two can be laid over each other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// How a timeline came about. A report always says so.
enum class Level : std::uint8_t {
  Symbolic,     ///< computed from costs, nothing ran
  HostThreads,  ///< a host thread a device, on the wall clock
  Replay,       ///< actions measured one at a time, then put through `simulate`
  OneGpu,       ///< one GPU, a pair of streams a device
  Gpus,         ///< a GPU a device
  Processes,    ///< a process a device
};

/// As reports name it: "symbolic", "host threads" ….
std::string_view to_text(Level level);

/// A stretch of time. Symbolic timelines count in ticks, measured ones in seconds.
struct Span {
  double start = 0;  ///< when it begins
  double end = 0;    ///< when it ends

  /// From start to end.
  double length() const { return end - start; }
};

/// One message on its way between two devices.
struct Transfer {
  ActionKind kind = ActionKind::SendActivation;  ///< or SendGradient
  std::int32_t from_stage = 0;                   ///< that sends
  std::int32_t to_stage = 0;                     ///< that receives
  std::int32_t micro_batch = 0;                  ///< whose activation or gradient it is
  Span span = {};                                ///< from leaving to arriving
  std::int16_t slice = 0;  ///< of the micro-batch, where it is cut
};

/// `spans[d][i]` is when entry i of `schedule.rows[d]` ran. A timeline is always passed
/// beside the schedule that it belongs to. Joined entries share one span. Sends and
/// receives of a lowered schedule have the span of their transfer.
struct Timeline {
  Level level = Level::Symbolic;         ///< how the times came about
  std::vector<std::vector<Span>> spans;  ///< by device and entry
  std::vector<Transfer> transfers;       ///< in order of start; empty unless asked for
};

/// Whether the timeline has one span for each entry of the schedule.
bool belongs_to(const Timeline& timeline, const Schedule& schedule);

}  // namespace pipeline
