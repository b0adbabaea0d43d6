/// \file
/// What a stage does with one micro-batch (or one slice of it): its layers in turn, on
/// buffers that somebody else planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layers/compute.hpp"
#include "runtime/network.hpp"

namespace pipeline {

/// Where things lie in the buffers of a stage, for matrices of up to `most_rows` rows.
/// Every matrix begins at a multiple of 64 bytes.
///
///     input    message from the previous stage
///     slot     x_1 │ … │ x_L-1 │ (logits, on the last stage)
///     inner    dy_0 │ … │ dy_L-2        (dy_i is the gradient of layer i's output)
///
/// A message has the matrix that one layer leaves to the next, and behind it one for
/// each skip that the boundary cuts: its value on the way down, its gradient back.
/// Where these lie depends on the rows that there are, so that a message is one piece.
///
///     message  x_0 │ skip │ skip …
struct StageLayout {
  /// For at most so many rows; `stage` must outlive it.
  StageLayout(const Stage& stage, std::int32_t most_rows);

  /// Floats of a message with so many rows, and where its skip number `n` begins.
  std::size_t input_floats(std::int32_t rows) const;
  /// Floats of a message to or from the next stage.
  std::size_t output_floats(std::int32_t rows) const;
  /// Where skip `n` of a message from the stage before begins, in floats.
  std::size_t skip_in_at(std::int32_t rows, std::size_t n) const;
  /// Where skip `n` of a message to the next stage begins, in floats.
  std::size_t skip_out_at(std::int32_t rows, std::size_t n) const;

  const Stage* stage;                    ///< whose layout it is
  std::vector<std::size_t> input_at;     ///< of x_i, i > 0, in a slot, in floats
  std::size_t logits_at = 0;             ///< in a slot, in floats
  std::vector<std::size_t> gradient_at;  ///< of dy_i in `inner`, in floats
  std::size_t slot_bytes = 0;            ///< of one slot, for the most rows
  std::size_t inner_bytes = 0;           ///< of `inner`, for the most rows
  std::size_t input_bytes = 0;           ///< of a message from or to the previous stage
  std::size_t output_bytes = 0;          ///< of a message to or from the next stage
};

/// One micro-batch (or slice of one) on one stage: where its data lies on the device.
struct MicroBatchData {
  std::int32_t rows = 0;     ///< of its matrices: samples x positions
  std::int32_t samples = 0;  ///< of the micro-batch
  Pass pass;                 ///< which rows these are
  float* weights = nullptr;  ///< of the stage: the version that this micro-batch uses
  float* input = nullptr;    ///< message from the previous stage
  float* slot = nullptr;     ///< what the forward keeps: see `StageLayout`
  /// The slot of the forward, where it is re-computed into `slot`; else null.
  float* passing_slot = nullptr;
  float* output = nullptr;           ///< message to the next stage; unused on the last
  float* output_gradient = nullptr;  ///< message from there; on the last stage dlogits
  float* inner = nullptr;            ///< gradients inside the stage: see `StageLayout`
  float* input_gradient = nullptr;   ///< message back; unused on the first stage
  float* cache = nullptr;            ///< what the slices of the micro-batch share
  /// By layer: where to write that its output is not finite; see `Executor`.
  std::int32_t* not_finite = nullptr;
  std::int32_t number = 0;  ///< of the micro-batch, over all steps
  // The rest is the last stage's.
  const std::int32_t* labels = nullptr;  ///< one for each row
  double* loss_sum = nullptr;            ///< added to
  std::int32_t* correct = nullptr;       ///< added to
  float loss_weight = 0;                 ///< 1 / rows of all that one update takes in
};

/// These run where the stream is (`on` has entered it).
void stage_forward(const StageLayout& layout, Compute& on, const MicroBatchData& data);
/// Makes the slot again, bit for bit, and nothing else: what the forward sent and
/// counted stands. The output of the stage is no part of it, so that its last layer
/// need not run (on the last stage it does, for the logits).
void stage_recompute(const StageLayout& layout, Compute& on,
                     const MicroBatchData& data);
/// On the first stage nobody needs the gradient of the network's own input, and it is
/// not computed.
void stage_input_gradient(const StageLayout& layout, Compute& on,
                          const MicroBatchData& data);
/// Adds the gradients of all parameters of the stage to `Stage::gradients`.
void stage_weight_gradient(const StageLayout& layout, Compute& on,
                           const MicroBatchData& data);
/// Both, layer by layer: each gradient is used while it is warm.
void stage_backward(const StageLayout& layout, Compute& on, const MicroBatchData& data);

/// What an update reads and writes beside the gradients, moments and state of its
/// stage.
struct UpdateData {
  const float* weights = nullptr;         ///< the newest version
  float* new_weights = nullptr;           ///< may be the same
  const float* gradient_scale = nullptr;  ///< on the device; null: 1
  const Optimizer* optimizer = nullptr;   ///< by which rule
  std::int64_t step = 0;                  ///< updates before it, since training began
};
/// All layers of the stage, one after the other.
void stage_update(const Stage& stage, Compute& on, const UpdateData& data);

}  // namespace pipeline
