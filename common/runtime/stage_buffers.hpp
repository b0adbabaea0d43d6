/// \file
/// The memory of one stage under one schedule: allocated once, as planned.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "runtime/slots.hpp"
#include "runtime/stage_work.hpp"
#include "runtime/weight_log.hpp"

namespace pipeline {

/// Buffers of one size, and who has which when.
struct Pool {
  PoolPlan plan;               ///< which part has which buffer when
  std::size_t item_bytes = 0;  ///< of one buffer
  Buffer memory;               ///< all buffers, one after the other
  /// By buffer, where two streams meet at it: recorded when it was filled, and when
  /// what lies in it is no longer needed.
  std::vector<std::unique_ptr<Event>> filled;
  std::vector<std::unique_ptr<Event>> freed;  ///< see `filled`

  /// What a part has of it.
  const PoolPlan::Use& use(std::int32_t part) const {
    return plan.uses[static_cast<std::size_t>(part)];
  }
  /// Bytes of all buffers.
  std::size_t bytes() const {
    return static_cast<std::size_t>(plan.buffers) * item_bytes;
  }
  /// The first `bytes` of a buffer.
  Region part(std::int32_t buffer, std::size_t bytes) const {
    return memory.part(static_cast<std::size_t>(buffer) * item_bytes, bytes);
  }
  /// The buffer of a part, as floats.
  float* floats_of(std::int32_t part_number) const {
    return part(use(part_number).buffer, item_bytes).floats();
  }
  /// Of the buffer that a part has.
  Event& filled_event(std::int32_t part_number) const {
    return *filled[static_cast<std::size_t>(use(part_number).buffer)];
  }
  /// Of the buffer that a part has.
  Event& freed_event(std::int32_t part_number) const {
    return *freed[static_cast<std::size_t>(use(part_number).buffer)];
  }
};

/// The most that a micro-batch, and a part of one, brings.
struct LargestParts {
  std::int32_t samples = 0;    ///< of a micro-batch
  std::int32_t positions = 1;  ///< of a whole sequence
  std::int32_t slice = 1;      ///< of a slice of one; all positions if not cut
};

/// All buffers of one stage under one schedule.
struct StageBuffers {
  /// Allocates all of it on `device`; `stage` must outlive it.
  StageBuffers(Device& device, const Stage& stage, const StagePlan& plan,
               const LargestParts& largest);

  /// Bytes of all of it.
  std::size_t bytes() const;
  /// The buffer that holds a version of the weights; see WeightPlan.
  Region weights(std::int32_t buffer) const {
    return buffer == 0 ? stage->weights.region()
                       : older_weights[static_cast<std::size_t>(buffer) - 1].region();
  }

  const Stage* stage;            ///< whose memory this is
  StageLayout layout;            ///< where things lie in a buffer
  std::vector<bool> recomputed;  ///< by part
  Pool inputs;                   ///< messages from the stage before
  Pool activations;              ///< what forwards keep for backwards
  Pool outputs;                  ///< messages to the next stage
  Pool output_gradients;         ///< messages from the next stage
  Pool inner_gradients;    ///< gradients kept from InputGradient to WeightGradient
  Pool input_gradients;    ///< messages to the stage before
  Pool caches;             ///< what the slices of a micro-batch share
  Buffer not_finite;       ///< an int32 for each layer; see `mark_if_not_finite`
  WeightPlan weight_plan;  ///< which buffer holds which version of the weights
  std::vector<Buffer> older_weights;  ///< buffers 1, 2, … of the plan
  WeightLog weight_log;  ///< which versions were used, as the work itself saw it
  std::vector<MicroBatchData> data;  ///< by part, over all steps
};

/// The buffers of all stages (see `place_of`), and in them the place of each part.
std::vector<std::unique_ptr<StageBuffers>> allocate_stages(
    PlacedNetwork& network, const std::vector<StagePlan>& plans,
    const Schedule& lowered, const LargestParts& largest);

}  // namespace pipeline
