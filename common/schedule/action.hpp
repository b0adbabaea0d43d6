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
  Reduce,  ///< sums the gradients of a stage over the devices that hold a copy of it
  ReduceNorm,  ///< sums the norm of all gradients over all devices: a barrier
  Update,
};

constexpr bool is_communication(ActionKind kind) {
  return kind >= ActionKind::SendActivation && kind <= ActionKind::ReceiveGradient;
}

/// Whether several devices meet in it.
constexpr bool is_collective(ActionKind kind) {
  return kind == ActionKind::Reduce || kind == ActionKind::ReduceNorm;
}

/// `stage` is the index in model order, whatever device holds it. A send or a receive
/// names the stage of the device that performs it: stage s sends activation k, and
/// stage s+1 receives activation k. `micro_batch` runs on over the steps of a run.
/// `slice` counts the slices of the micro-batch's sequence, where it is cut.
///
/// What ends a step carries the last micro-batch whose gradients it takes in: an
/// `Update` and a `Reduce` the last that ran on this copy of the stage. A `ReduceNorm`
/// stands once in the row of each device, and names the lowest stage of the first copy
/// that the device holds, and the step's last micro-batch on that copy.
struct Action {
  ActionKind kind = ActionKind::Forward;
  std::int16_t slice = 0;
  std::int32_t stage = 0;
  std::int32_t micro_batch = 0;

  auto operator<=>(const Action&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace pipeline
