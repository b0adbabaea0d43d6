/// \file
/// Batch norm over the channels of images.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/convolution.hpp"

namespace pipeline {

/// When the running statistics, by which a trained network is evaluated, take in what a
/// micro-batch was like. Training itself knows nothing of them.
enum class BatchNormMode : std::uint8_t {
  /// At its forward: m micro-batches move them m times, each time by what a part of
  /// the mini-batch is like.
  PerMicroBatch,
  /// At the end of the step, once, by the mini-batch that the micro-batches make up
  /// together, as without micro-batches (torchgpipe's deferred batch norm; Kim et al.
  /// 2020, section 3.4, after GPipe, Huang et al. 2019, section 2.2).
  Deferred,
};

/// What PyTorch takes when nothing else is said.
inline constexpr float kBatchNormEpsilon = 1e-5F;
/// The share of a new value in the running statistics, as in PyTorch.
inline constexpr float kBatchNormMomentum = 0.1F;

/// y = scale (x - mean) / sqrt(variance + epsilon) + shift (Ioffe & Szegedy 2015,
/// algorithm 1), with mean and variance of each channel over all positions of the
/// *micro-batch*; the gradient goes through both. Parameters: the scales, which start
/// as 1, then the shifts, 0; a channel each. In evaluation mean and variance are the
/// running ones; gradients are those of training only.
///
/// The state begins with the running means and variances, a channel each, 0 and 1 at
/// the start: running = (1 - momentum) running + momentum seen. That variance is the
/// unbiased one, over count - 1. A re-computation leaves them as they are.
std::unique_ptr<Layer> batch_norm(const ImageShape& image,
                                  BatchNormMode mode = BatchNormMode::PerMicroBatch);

}  // namespace pipeline
