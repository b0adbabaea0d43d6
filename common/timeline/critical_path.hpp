/// \file
/// The chain of actions and messages that sets the makespan: shorten anything off the
/// chain, and nothing is won.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Why a step of the chain did not start earlier. What it waited for is the step
/// before.
enum class WaitReason : std::uint8_t {
  Nothing,   ///< it opens the chain
  Device,    ///< an action: its device was busy with the action before
  Message,   ///< an action: its input was still on its way
  Meeting,   ///< a reduce: another device had not come yet
  Producer,  ///< a message: the action that makes it had not ended
  Link,      ///< a message: the link still carried an earlier one
};

/// "device", "message", ….
std::string_view to_text(WaitReason reason);

/// An action on a device, or a message from one device to another.
struct CriticalStep {
  Action action;            ///< a message has the kind SendActivation or SendGradient
  std::int32_t device = 0;  ///< that runs it, or sends it
  std::int32_t to_device = 0;                   ///< the same device for an action
  Span span;                                    ///< when it ran
  WaitReason waited_for = WaitReason::Nothing;  ///< why it did not start earlier
  std::size_t entry = 0;  ///< in the device's row; of a message: of what makes it

  /// Whether it is a message, not an action.
  bool is_message() const { return is_communication(action.kind); }
};

/// The chain that ends with the last action to end, in order of time; where two were
/// waited for equally long, it follows the device. From a Reduce or a ReduceNorm that
/// waited for another device the chain goes on there. On a predicted timeline each step
/// starts when the one before it ends, so that the lengths add up to the makespan (of a
/// message that another one waited for on a link, only the part until then is given).
/// On a measured one the gaps between steps are what neither devices nor messages
/// account for. Steps that take no time are left out, but for the meetings.
///
/// Messages have their recorded span, or that of lowered rows; where the timeline shows
/// neither, what a predicted action waited for beyond its device is taken to be its
/// message. The timeline must belong to the schedule; else the chain is empty.
std::vector<CriticalStep> critical_path(const Schedule& schedule,
                                        const Timeline& timeline);

}  // namespace pipeline
