/// \file
/// What a stage does with one micro-batch: its layers in turn, on buffers that somebody
/// else planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layers/compute.hpp"
#include "runtime/network.hpp"

namespace pipeline {

/// Where things lie in the buffers of a stage, for micro-batches of up to `most_rows`
/// rows. Every matrix begins at a multiple of 64 bytes.
///
///     slot    x_0 │ x_1 │ … │ x_L-1 │ (logits, on the last stage)
///     inner   dy_0 │ … │ dy_L-2        (dy_i is the gradient of layer i's output)
struct StageLayout {
  StageLayout(const Stage& stage, std::int32_t most_rows);

  const Stage* stage;
  std::vector<std::size_t> input_at;     ///< of x_i in a slot, in floats
  std::size_t logits_at = 0;             ///< in a slot, in floats
  std::vector<std::size_t> gradient_at;  ///< of dy_i in `inner`, in floats
  std::size_t slot_bytes = 0;
  std::size_t inner_bytes = 0;
  std::size_t input_bytes = 0;   ///< of a gradient to the previous stage
  std::size_t output_bytes = 0;  ///< of an activation to the next stage
};

/// One micro-batch on one stage: where its data lies on the device.
struct MicroBatchData {
  std::int32_t rows = 0;
  float* weights = nullptr;  ///< of the stage: the version that this micro-batch uses
  float* slot = nullptr;
  float* output = nullptr;           ///< unused on the last stage
  float* output_gradient = nullptr;  ///< dy_L-1
  float* inner = nullptr;
  float* input_gradient = nullptr;  ///< dx_0; unused on the first stage
  // The rest is the last stage's.
  const std::int32_t* labels = nullptr;
  double* loss_sum = nullptr;       ///< added to
  std::int32_t* correct = nullptr;  ///< added to
  float loss_weight = 0;            ///< 1 / rows of all that one update takes in
};

/// These run where the stream is (`on` has entered it).
void stage_forward(const StageLayout& layout, Compute& on, const MicroBatchData& data);
/// On the first stage nobody needs the gradient of the network's own input, and it is
/// not computed.
void stage_input_gradient(const StageLayout& layout, Compute& on,
                          const MicroBatchData& data);
void stage_weight_gradient(const StageLayout& layout, Compute& on,
                           const MicroBatchData& data);
/// Both, layer by layer: each gradient is used while it is warm.
void stage_backward(const StageLayout& layout, Compute& on, const MicroBatchData& data);

/// What an update reads and writes beside the gradients and the velocity of its stage.
struct UpdateData {
  const float* weights = nullptr;
  float* new_weights = nullptr;           ///< may be the same
  const float* gradient_scale = nullptr;  ///< on the device; null: 1
  float rate = 0;
  float momentum = 0;
};
void stage_update(const Stage& stage, Compute& on, const UpdateData& data);

}  // namespace pipeline
