/// \file
/// The smallest thing a schedule talks about: one kind of work, on one stage, for one
/// micro-batch.
#pragma once

#include <compare>
#include <cstdint>

namespace pipeline {

/// What a device can be told to do. `Backward` is both halves at once; zero-bubble
/// schedules need `InputGradient` and `WeightGradient` apart.
enum class ActionKind : std::uint8_t {
  Forward,
  Backward,
  InputGradient,
  WeightGradient,
  Recompute,
  SendActivation,
  ReceiveActivation,
  SendGradient,
  ReceiveGradient,
  Reduce,
  Update,
};

constexpr bool is_communication(ActionKind kind) {
  return kind >= ActionKind::SendActivation && kind <= ActionKind::ReceiveGradient;
}

/// `stage` is the index in model order, whatever device holds it. A send or a receive
/// names the stage of the device that performs it: stage s sends activation k, and
/// stage s+1 receives activation k. `micro_batch` runs on over the steps of a run; an
/// `Update` carries the last micro-batch of the step that it ends.
struct Action {
  ActionKind kind = ActionKind::Forward;
  std::int16_t slice = 0;
  std::int32_t stage = 0;
  std::int32_t micro_batch = 0;

  auto operator<=>(const Action&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace pipeline
