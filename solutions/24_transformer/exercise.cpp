// Exercise 24: a transformer. The task is in exercises/24_transformer/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pipeline {

double next_token_loss(const std::vector<double>& logits, std::int32_t vocabulary,
                       const std::vector<std::int32_t>& tokens) {
  // <solution>
  const auto width = static_cast<std::size_t>(vocabulary);
  const std::size_t positions = logits.size() / width;
  double sum = 0;
  for (std::size_t i = 0; i < positions; ++i) {
    const double* const row = logits.data() + i * width;
    // Softmax does not change when all logits of a row are moved by as much. With the
    // largest at 0 no exponential is infinite, and one of them is 1.
    const double largest = *std::max_element(row, row + width);
    double exponentials = 0;
    for (std::size_t c = 0; c < width; ++c) exponentials += std::exp(row[c] - largest);
    const auto next = static_cast<std::size_t>(tokens[i + 1]);
    sum += std::log(exponentials) - (row[next] - largest);
  }
  return sum / static_cast<double>(positions);
  //~ // Your turn: which token is position i asked for?
  //~ return 0;
  // </solution>
}

std::vector<std::int32_t> first_layers(std::int32_t blocks, std::int32_t stages) {
  std::vector<std::int32_t> first = {0};
  // <solution>
  std::int32_t before = 0;  // blocks on the stages so far
  for (std::int32_t s = 0; s < stages; ++s) {
    before += blocks / stages + (s < blocks % stages ? 1 : 0);
    first.push_back(1 + kBlockLayers * before);  // behind the embedding
  }
  first.back() += 2;  // the norm and the logits
  //~ // Your turn: which layer is the first of a block?
  // </solution>
  return first;
}

std::vector<std::vector<bool>> slice_mask(std::int32_t first, std::int32_t positions) {
  std::vector<std::vector<bool>> mask;
  // <solution>
  // The keys of earlier slices are kept for this: a position of a slice is a position
  // of the sequence, and has all of the earlier slices before it.
  for (std::int32_t row = 0; row < positions; ++row) {
    mask.emplace_back(static_cast<std::size_t>(first + positions));
    for (std::int32_t key = 0; key <= first + row; ++key) {
      mask.back()[static_cast<std::size_t>(key)] = true;
    }
  }
  //~ // Your turn: which position of the sequence is row 0 of the slice?
  // </solution>
  return mask;
}

TiedGradients joined(const TiedGradients& apart, std::size_t count) {
  TiedGradients both = apart;
  // <solution>
  // One table is used twice, so the loss changes by what both uses change: a sum, not a
  // mean. Each copy gets all of it; else they would no longer be one table after the
  // update.
  for (std::size_t i = 0; i < count; ++i) {
    both.embedding[i] = both.logits[i] = apart.embedding[i] + apart.logits[i];
  }
  //~ // Your turn: the table is one, its gradients are two.
  // </solution>
  return both;
}

double clip_factor(const std::vector<std::vector<double>>& squares, double limit) {
  // <solution>
  // One sum through all stages, in model order. Adding up each stage first would be
  // quicker on the devices, but sums of floating-point numbers depend on their order:
  // the same model would train other weights on another number of devices.
  double sum = 0;
  for (const std::vector<double>& stage : squares) {
    for (const double square : stage) sum += square;
  }
  const double norm = std::sqrt(sum);
  return norm > limit ? limit / norm : 1;
  //~ // Your turn: in which order do they add up?
  //~ return 0;
  // </solution>
}

double rate_at(std::int64_t step, const Rates& rates) {
  // <solution>
  if (step < rates.warmup_steps) {
    // Step 0 must not be lost to a rate of 0.
    return rates.highest * static_cast<double>(step + 1) /
           static_cast<double>(rates.warmup_steps);
  }
  if (step >= rates.decay_steps) return rates.least;
  const double share = static_cast<double>(step - rates.warmup_steps) /
                       static_cast<double>(rates.decay_steps - rates.warmup_steps);
  const double above = (1 + std::cos(std::numbers::pi * share)) / 2;
  return rates.least + above * (rates.highest - rates.least);
  //~ // Your turn: three parts. What is the rate at both ends of each?
  //~ return 0;
  // </solution>
}

}  // namespace pipeline
