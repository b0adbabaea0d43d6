/// \file
/// Exercise 24: what a transformer asks of a pipeline that trains it. Stages, steps,
/// positions and micro-batches are counted from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeline {

/// The mean loss of a window: cross-entropy of the softmax, in nats. `logits` holds a
/// row of `vocabulary` numbers for each position of the window, one row after the
/// other; `tokens` are those of the window and the one behind it. Logits may be large.
double next_token_loss(const std::vector<double>& logits, std::int32_t vocabulary,
                       const std::vector<std::int32_t>& tokens);

/// Layers of a block.
inline constexpr std::int32_t kBlockLayers = 8;

/// The first layer of each stage, and behind the last stage the number of layers in
/// all: `stages` + 1 numbers. The layers are an embedding, `blocks` blocks, a norm and
/// the logits. Stages hold whole blocks, as even as it goes, those with one more first;
/// there are at least as many blocks as stages.
std::vector<std::int32_t> first_layers(std::int32_t blocks, std::int32_t stages);

/// What the positions of a slice may look at: a line for each of its `positions`, with
/// a place for each position of the sequence up to the slice's last one. The slice
/// begins at position `first` of its sequence; a position sees itself and all before
/// it.
std::vector<std::vector<bool>> slice_mask(std::int32_t first, std::int32_t positions);

struct TiedGradients {
  std::vector<double> embedding;  ///< of the first stage
  std::vector<double> logits;     ///< of the last stage
};

/// Both gradients as the updates need them, where the first `count` parameters of the
/// two layers are the same table, kept twice. The rest of each is its own.
TiedGradients joined(const TiedGradients& apart, std::size_t count);

/// What all gradients are multiplied with, so that their norm is at most `limit`.
/// `squares[s]` holds the sum of the squares of each parameter's gradient on stage s.
/// The same bits, however parameters that follow one another are cut into stages.
double clip_factor(const std::vector<std::vector<double>>& squares, double limit);

struct Rates {
  std::int64_t warmup_steps = 1;  ///< at least 1
  std::int64_t decay_steps = 2;   ///< more than those
  double highest = 1;
  double least = 0;
};

/// The rate of step `step`: up in a straight line, the first step a warm-up step's
/// share of `highest` and the last one of the warm-up `highest`; then down half a
/// cosine from `highest`, in the step behind the warm-up, to `least` in step
/// `decay_steps`; and so on.
double rate_at(std::int64_t step, const Rates& rates);

}  // namespace pipeline
