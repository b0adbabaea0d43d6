#include "layers/transformer.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "layers/attention.hpp"
#include "layers/dropout.hpp"
#include "layers/embedding.hpp"
#include "layers/layer_norm.hpp"

namespace pipeline {

namespace {

constexpr double kDeviation = 0.02;

/// Why there is no such transformer, or nothing.
Expected<void> check(const TransformerShape& shape) {
  const auto at_least_1 = [](const char* name,
                             std::int32_t value) -> tl::unexpected<Error> {
    return refuse("a transformer needs " + std::string(name) + " of at least 1, not " +
                      std::to_string(value),
                  "give a whole number from 1 on");
  };
  if (shape.vocabulary < 1) return at_least_1("a vocabulary", shape.vocabulary);
  if (shape.width < 1) return at_least_1("a width", shape.width);
  if (shape.heads < 1) return at_least_1("a number of heads", shape.heads);
  if (shape.blocks < 1) return at_least_1("a number of blocks", shape.blocks);
  if (shape.context < 1) return at_least_1("a context", shape.context);
  if (shape.hidden < 0) return at_least_1("a hidden width", shape.hidden);
  if (shape.width % shape.heads != 0) {
    return refuse("a width of " + std::to_string(shape.width) +
                      " does not divide into " + std::to_string(shape.heads) + " heads",
                  "make the width a multiple of the heads, for instance " +
                      std::to_string(shape.heads * (shape.width / shape.heads + 1)));
  }
  if (!(shape.dropout >= 0 && shape.dropout < 1)) {
    return refuse(
        "a dropout rate of " + std::to_string(shape.dropout) + " would leave nothing",
        "give a rate from 0 up to, but not including, 1");
  }
  return {};
}

/// Adds layers, and knows where a skip began.
class Builder {
 public:
  explicit Builder(const TransformerShape& shape) : shape_(shape) {}

  void add(std::unique_ptr<Layer> layer) { network_.push_back(std::move(layer)); }
  std::int32_t next() const { return static_cast<std::int32_t>(network_.size()); }

  /// What a residual part of a block ends with.
  void end_part(std::int32_t from, std::int32_t inputs) {
    add(linear(inputs, shape_.width, kDeviation / std::sqrt(2.0 * shape_.blocks)));
    if (shape_.dropout > 0) add(dropout(shape_.width, shape_.dropout, next()));
    network_.skips.push_back({from, next() - 1});
  }
  void add_block() {
    const std::int32_t w = shape_.width;
    const std::int32_t attention = next();
    add(layer_norm(w));
    add(linear(w, 3 * w, kDeviation));
    add(causal_attention(w, shape_.heads));
    end_part(attention, w);

    const std::int32_t mlp = next();
    add(layer_norm(w));
    const std::int32_t hidden = shape_.hidden == 0 ? 4 * w : shape_.hidden;
    add(linear(w, hidden, kDeviation));
    add(gelu(hidden));
    end_part(mlp, hidden);
  }
  Network take() { return std::move(network_); }
  void tie_ends() {
    network_.tie = Tie{0, next() - 1, network_.back()->parameter_count()};
  }

 private:
  const TransformerShape& shape_;
  Network network_;
};

}  // namespace

Expected<Network> transformer(const TransformerShape& shape) {
  if (const Expected<void> good = check(shape); !good) {
    return tl::unexpected<Error>(good.error());
  }
  Builder builder(shape);
  builder.add(embedding(shape.vocabulary, shape.context, shape.width));
  for (std::int32_t i = 0; i < shape.blocks; ++i) builder.add_block();
  builder.add(layer_norm(shape.width));
  builder.add(unembedding(shape.width, shape.vocabulary));
  if (shape.tied) builder.tie_ends();
  return builder.take();
}

}  // namespace pipeline
