/// \file
/// Buffers planned ahead. Which buffer a micro-batch (or a slice of one: a part, see
/// parts.hpp) uses is a function of the lowered
/// schedule, so all of them are assigned and allocated before anything runs:
///
///     row of stage 0    F0 F1 B0 F2 B1 F3 …        1F1B, p = 2: two live at once
///     slot a            0──────│  …
///     slot b               1─────────│
///     input a           0──────│  3──…
///     input b              1─────────│
///     input c                     2──────…         one more, so that the next input
///                                                  can come while two are held
///
/// What is re-computed has a slot while its Forward runs, and again from its Recompute
/// on; between them only its input is held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/weight_plan.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// How buffers of one kind pass from part to part.
struct PoolPlan {
  /// What one part has of the pool.
  struct Use {
    std::int32_t buffer = -1;    ///< its number; -1: none
    std::int32_t previous = -1;  ///< part that had the buffer before, if any
  };
  std::int32_t buffers = 0;  ///< how many buffers there are
  std::vector<Use> uses;     ///< by part, over all steps
};

/// The pools of one stage of one copy. A buffer is held ...
struct StagePlan {
  /// Inputs of the stage: from their arrival to Backward or WeightGradient
  /// (forward-only: to the Forward).
  PoolPlan inputs;
  /// Slots, with the inputs of all other layers: from the Forward, or the Recompute, to
  /// Backward or WeightGradient (forward-only: while the Forward runs). Behind the uses
  /// of the parts stand those of the forwards of parts that are re-computed; see
  /// `passing_use`.
  PoolPlan activations;
  /// Activations to send to another device: until the receiver must have taken them.
  PoolPlan outputs;
  /// Gradients of the stage's output: from arrival to Backward or WeightGradient.
  PoolPlan output_gradients;
  /// Gradients between the stage's layers: while Backward runs, or from InputGradient
  /// to WeightGradient.
  PoolPlan inner_gradients;
  /// Gradients to send to another device.
  PoolPlan input_gradients;
  /// What the slices of a micro-batch share (by micro-batch): from the first Forward to
  /// the last InputGradient or Backward. Empty where sequences are not cut.
  PoolPlan caches;
  WeightPlan weights;  ///< which buffer holds which version of the weights
};

/// The place among the uses of slots of a forward that gives its slot back at once,
/// since the part is re-computed.
inline std::size_t passing_use(const StagePlan& plan, std::int32_t part) {
  return plan.inputs.uses.size() + static_cast<std::size_t>(part);
}

/// Whether the part's forward runs twice.
inline bool is_recomputed(const StagePlan& plan, std::int32_t part) {
  return plan.activations.uses[passing_use(plan, part)].buffer >= 0;
}

/// The place of a stage in a list of all stages, those of the second copy of the
/// weights after those of the first.
inline std::size_t place_of(const Placement& placement, std::int32_t stage,
                            std::int32_t copy) {
  return static_cast<std::size_t>(copy) * static_cast<std::size_t>(placement.stages()) +
         static_cast<std::size_t>(stage);
}

/// That of the stage that a micro-batch runs on.
inline std::size_t place_of(const Schedule& schedule, std::int32_t stage,
                            std::int32_t micro_batch) {
  return place_of(schedule.placement, stage, schedule.copy_of(micro_batch));
}

/// Plans the pools of each stage (see `place_of`), by walking the rows of a lowered
/// schedule. `buffers` is the number of messages a link holds: once message n + buffers
/// was sent, message n was taken. Pools that are filled by copies get one buffer more
/// than are held at once, and the buffer that was free for longest is always taken
/// next: so the next copy overlaps the work on all that is held. Refuses rows that use
/// what is not there.
Expected<std::vector<StagePlan>> plan_stages(const Schedule& lowered,
                                             std::int32_t buffers);

}  // namespace pipeline
