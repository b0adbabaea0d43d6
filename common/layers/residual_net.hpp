/// \file
/// A small residual convolutional network for pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "layers/batch_norm.hpp"
#include "layers/network.hpp"

namespace pipeline {

/// How large the network is.
struct ResidualShape {
  ImageShape image = {28, 28, 1};  ///< of the input
  /// Channels of each level; each halves height and width of the one before (rounded
  /// up), and so does the first one with the image.
  std::vector<std::int32_t> levels = {16, 32};
  std::int32_t blocks = 1;    ///< residual ones, on each level
  std::int32_t classes = 10;  ///< of the output
  /// When running statistics move.
  BatchNormMode batch_norm = BatchNormMode::PerMicroBatch;
};

/// The network of He et al. 2016 (figure 2, section 4.2), small: each level begins with
/// a convolution of stride 2, batch norm and ReLU, and then has
///
///          ┌──────────────────────────────────────────────────┐
///     x ───┴─▶ conv ─▶ batch norm ─▶ ReLU ─▶ conv ─▶ batch norm ─⊕─▶ ReLU ─▶
///
/// as often as `blocks` says, without a way around where the size changes. At the end
/// the mean over each channel, and a linear layer. All convolutions are 3x3.
Network residual_net(const ResidualShape& shape);

}  // namespace pipeline
