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
  std::int32_t from = 0;
  std::int32_t to = 0;

  bool operator==(const Skip&) const = default;
};

/// Two layers whose first `count` parameters are the same (the embedding of tokens and
/// the one that makes logits; Press & Wolf 2017). Each keeps its own; both start as the
/// first layer's, get the sum of both gradients, and so stay equal.
struct Tie {
  std::int32_t first = 0;
  std::int32_t second = 0;
  std::size_t count = 0;
};

/// The layers in order, ending in logits; the loss (softmax and cross-entropy) is the
/// last stage's.
struct Network {
  std::vector<std::unique_ptr<Layer>> layers;
  std::vector<Skip> skips;  ///< in the order of `to`; no two end at the same layer
  std::optional<Tie> tie;

  void push_back(std::unique_ptr<Layer> layer) { layers.push_back(std::move(layer)); }
  std::size_t size() const { return layers.size(); }
  const std::unique_ptr<Layer>& operator[](std::size_t i) const { return layers[i]; }
  auto begin() const { return layers.begin(); }
  auto end() const { return layers.end(); }
  const std::unique_ptr<Layer>& front() const { return layers.front(); }
  const std::unique_ptr<Layer>& back() const { return layers.back(); }
};

}  // namespace pipeline
