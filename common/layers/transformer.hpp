/// \file
/// A transformer that predicts the next token.
#pragma once

#include <cstdint>

#include "layers/network.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// How large the network is.
struct TransformerShape {
  std::int32_t vocabulary = 256;  ///< bytes
  std::int32_t width = 0;         ///< floats that stand for a token
  std::int32_t heads = 0;         ///< divides width
  std::int32_t blocks = 0;        ///< of attention and a feed-forward part each
  std::int32_t context = 0;       ///< most positions of a sequence
  std::int32_t hidden = 0;  ///< width inside the second part of a block; 0: 4 width
  float dropout = 0;        ///< rate, after both parts of a block
  bool tied = true;         ///< one table for both embeddings
};

/// The pre-norm form of GPT-2 (Radford et al. 2019, section 2.3):
///
///     embedding
///     block:   ─┬─▶ norm ─▶ linear 3w ─▶ attention ─▶ linear w (─▶ dropout) ─⊕─▶
///               └─────────────────────────────────────────────────────────────┘
///              ─┬─▶ norm ─▶ linear hidden ─▶ gelu ─▶ linear w (─▶ dropout) ─⊕─▶
///               └───────────────────────────────────────────────────────────┘
///     norm, unembedding
///
/// Weights start normal with a deviation of 0.02, those that end in a ⊕ with
/// 0.02 / sqrt(2 blocks); biases 0. Sizes that do not go together are refused.
Expected<Network> transformer(const TransformerShape& shape);

}  // namespace pipeline
