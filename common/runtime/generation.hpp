/// \file
/// Text from a trained transformer, a byte at a time through all its stages.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "layers/random.hpp"
#include "layers/transformer.hpp"
#include "runtime/network.hpp"

namespace pipeline {

/// What to write, and how boldly.
struct GenerationOptions {
  std::string prompt = "\n";  ///< at least one byte
  std::int32_t bytes = 200;   ///< to add
  /// Logits are divided by it: below 1 likely bytes become likelier. 0: always the
  /// likeliest byte.
  double temperature = 0.8;
  std::uint64_t seed = 1;                       ///< of what is drawn
  const std::atomic<bool>* stop = nullptr;      ///< asked before each byte
  std::function<void(char)> on_byte = nullptr;  ///< called with each as it comes
};

/// What the network, whose context is `context`, writes after the prompt; the prompt
/// left out. Each byte is drawn by what the network says of the last `context` ones
/// before it; the whole window goes through the stages again for each. Leaves the
/// network as it was.
Expected<std::string> generate_text(PlacedNetwork& network, std::int32_t context,
                                    const GenerationOptions& options);

/// The same from the newest checkpoint in `folder`, on one device.
Expected<std::string> generate_text(Platform& platform, const TransformerShape& shape,
                                    const std::string& folder,
                                    const GenerationOptions& options);

/// Draws one of the classes; of equally likely ones at temperature 0 the first.
std::int32_t draw_token(std::span<const float> logits, double temperature,
                        Random& random);

}  // namespace pipeline
