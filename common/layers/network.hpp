/// \file
/// A network: layers in order, and what does not follow that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "layers/layer.hpp"

namespace pipeline {

/// A residual connection: the input of layer `from` is added to the output of layer
/// `to`, which is the same one or a later one.
///
///          ┌────────────────────────┐
///     x ───┴─▶ [from] ─▶ … ─▶ [to] ─⊕─▶
///
/// A stage boundary may cut it: then its value travels with the activation, and its
/// gradient with the gradient.
struct Skip {
  std::int32_t from = 0;  ///< the layer whose input is carried along
  std::int32_t to = 0;    ///< the layer whose output it is added to

  bool operator==(const Skip&) const = default;
};

/// Two layers whose first `count` parameters are the same (the embedding of tokens and
/// the one that makes logits; Press & Wolf 2017). Each keeps its own; both start as the
/// first layer's, get the sum of both gradients, and so stay equal.
struct Tie {
  std::int32_t first = 0;   ///< its place in the network
  std::int32_t second = 0;  ///< its place in the network
  std::size_t count = 0;    ///< floats that are the same, from the front
};

/// The layers in order, ending in logits; the loss (softmax and cross-entropy) is the
/// last stage's.
struct Network {
  std::vector<std::unique_ptr<Layer>> layers;  ///< in the order of the forward
  std::vector<Skip> skips;  ///< in the order of `to`; no two end at the same layer
  std::optional<Tie> tie;   ///< two layers that share parameters, if any

  /// Adds a layer at the end.
  void push_back(std::unique_ptr<Layer> layer) { layers.push_back(std::move(layer)); }
  /// How many layers there are.
  std::size_t size() const { return layers.size(); }
  /// The i-th layer, from 0.
  const std::unique_ptr<Layer>& operator[](std::size_t i) const { return layers[i]; }
  /// The layers in order.
  auto begin() const { return layers.begin(); }
  /// One past the last layer.
  auto end() const { return layers.end(); }
  /// The first layer; there must be one.
  const std::unique_ptr<Layer>& front() const { return layers.front(); }
  /// The last layer; there must be one.
  const std::unique_ptr<Layer>& back() const { return layers.back(); }
};

}  // namespace pipeline
