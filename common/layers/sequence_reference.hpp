/// \file
/// The references of the layers of a transformer.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/reference.hpp"

namespace pipeline {

/// The reference of `embedding`.
std::unique_ptr<ReferenceLayer> reference_embedding(std::int32_t vocabulary,
                                                    std::int32_t positions,
                                                    std::int32_t width);
/// The reference of `unembedding`.
std::unique_ptr<ReferenceLayer> reference_unembedding(std::int32_t width,
                                                      std::int32_t vocabulary);
/// The reference of `layer_norm`.
std::unique_ptr<ReferenceLayer> reference_layer_norm(std::int32_t width);
/// The reference of `causal_attention`.
std::unique_ptr<ReferenceLayer> reference_causal_attention(std::int32_t width,
                                                           std::int32_t heads);

}  // namespace pipeline
