/// \file
/// Why a timeline is as it is: what each action waited for, what it let start, and why
/// a bubble is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/critical_path.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// One cell of a timeline: an action, or several that run together.
struct CellAt {
  std::int32_t device = 0;      ///< whose row it is in
  std::size_t first_entry = 0;  ///< where it begins in that row
  std::string label;            ///< "B0", "F3+B1", with the stage where it must be told
  Span span;                    ///< on the timeline's clock
};

/// A cell that could not have started before another one ended, and which way it
/// depends on that.
struct Unlocked {
  CellAt cell;                              ///< what could start then
  WaitReason through = WaitReason::Device;  ///< Device, Message or Meeting
  std::string sentence;                     ///< the same in words
};

/// Why a cell did not start earlier, and what its end let start.
struct Why {
  CellAt cell;                                  ///< what is explained
  WaitReason waited_for = WaitReason::Nothing;  ///< Nothing, Device, Message or Meeting
  /// When its device was free, its input had arrived, or the last device had come. On a
  /// predicted timeline that is when the cell starts.
  double until = 0;
  /// Device: what ran before it. Message: what made its input. Meeting: what the device
  /// that came last had waited for: the cell before on it, or the maker of its input.
  std::optional<CellAt> cause;
  /// The message, if it (or the device that came last) waited for one; its own
  /// `waited_for` says whether its link was busy.
  std::optional<CriticalStep> message;
  std::string sentence;           ///< all of this in words
  std::vector<Unlocked> unlocks;  ///< by device and time
};

/// Explains the cell that holds entry `entry` of the row of `device`. Refuses what is
/// not there, what only communicates, and a timeline that does not belong to the
/// schedule.
Expected<Why> why_action(const Schedule& schedule, const Timeline& timeline,
                         std::int32_t device, std::size_t entry);

/// What makes a bubble.
enum class GapCause : std::uint8_t {
  WarmUp,   ///< the device has done nothing yet: nothing has arrived
  Drain,    ///< the device has done all that it does
  Message,  ///< its next action waits for an activation or a gradient
  Meeting,  ///< its next action waits for other devices
  Other,    ///< nothing that the timeline shows; only where it was measured
};

/// Why a device idles for a while.
struct GapWhy {
  std::int32_t device = 0;           ///< which device idles
  Span gap;                          ///< while it does, on the timeline's clock
  GapCause cause = GapCause::Drain;  ///< in one word
  std::optional<Why> next;           ///< what ends the gap; none in a drain
  /// What other devices and links did meanwhile that led to it, in order of time; the
  /// last step is what `next` waited for. Empty in a drain.
  std::vector<CriticalStep> chain;
  std::string sentence;  ///< "This bubble exists because …."
};

/// Explains the bubble that `device` has at `time`. Refuses a device or a time that is
/// not there, a time at which the device is busy, and a timeline that cannot be drawn.
Expected<GapWhy> why_gap(const Schedule& schedule, const Timeline& timeline,
                         std::int32_t device, double time);

}  // namespace pipeline
