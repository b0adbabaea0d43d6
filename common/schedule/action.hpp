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
  Forward,            ///< what a stage makes of its input
  Backward,           ///< both gradients of a stage, at once
  InputGradient,      ///< I: the gradient with respect to the stage's input
  WeightGradient,     ///< W: the gradient with respect to the stage's weights
  Recompute,          ///< R: the forward once more, before its backward
  SendActivation,     ///< to the stage after this one
  ReceiveActivation,  ///< from the stage before this one
  SendGradient,       ///< to the stage before this one
  ReceiveGradient,    ///< from the stage after this one
  Reduce,  ///< sums the gradients of a stage over the devices that hold a copy of it
  ReduceNorm,  ///< sums the norm of all gradients over all devices: a barrier
  Update,      ///< the optimizer's: ends the step on its stage
};

/// Whether it is a message's send or receive, as lowered rows hold them.
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
  ActionKind kind = ActionKind::Forward;  ///< what is done
  std::int16_t slice = 0;        ///< which slice of the micro-batch's sequence, from 0
  std::int32_t stage = 0;        ///< on which stage, in model order from 0
  std::int32_t micro_batch = 0;  ///< for which micro-batch, from 0 on over all steps

  auto operator<=>(const Action&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace pipeline
