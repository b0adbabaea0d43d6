#include <cmath>

#include "layers/layer.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// What is taken off a row of logits before exp, so that no logit, however large,
/// overflows.
PIPELINE_HD inline float maximum_of(const float* row, std::int32_t columns) {
  float maximum = row[0];
  for (std::int32_t j = 1; j < columns; ++j) {
    maximum = row[j] > maximum ? row[j] : maximum;
  }
  return maximum;
}

/// Whether `column` holds the maximum, and no column before it does.
PIPELINE_HD inline bool is_first_maximum(const float* row, float maximum,
                                         std::int32_t column) {
  if (row[column] < maximum) return false;
  std::int32_t before = 0;
  for (std::int32_t j = 0; j < column; ++j) before += row[j] == maximum ? 1 : 0;
  return before == 0;
}

}  // namespace

// Two passes: a loss for each row, rows side by side; then their sum, by one item of
// work alone, in one order.
void softmax_cross_entropy(Compute& on, ConstMatrix logits, const std::int32_t* labels,
                           double* loss_sum, std::int32_t* correct) {
  const auto rows = static_cast<std::size_t>(logits.rows);
  const Scratch<double> losses(on.scratch(), rows);
  const Scratch<std::int32_t> hits(on.scratch(), rows);
  double* const loss_of = losses.data();
  std::int32_t* const hit_of = hits.data();
  for_each_index(on, logits.rows, [=] PIPELINE_HD(std::int64_t i) {
    const float* row = logits.data + i * logits.columns;
    const float maximum = maximum_of(row, logits.columns);
    float sum = 0;
    for (std::int32_t j = 0; j < logits.columns; ++j) sum += std::exp(row[j] - maximum);
    const float loss = std::log(sum) + (maximum - row[labels[i]]);
    loss_of[i] = static_cast<double>(loss);
    hit_of[i] = is_first_maximum(row, maximum, labels[i]) ? 1 : 0;
  });
  const std::int32_t count = logits.rows;
  for_each_index(on, 1, [=] PIPELINE_HD(std::int64_t) {
    double sum = *loss_sum;
    std::int32_t hits_so_far = *correct;
    for (std::int32_t i = 0; i < count; ++i) {
      sum += loss_of[i];
      hits_so_far += hit_of[i];
    }
    *loss_sum = sum;
    *correct = hits_so_far;
  });
}

void softmax_cross_entropy_gradient(Compute& on, ConstMatrix logits,
                                    const std::int32_t* labels, float weight,
                                    Matrix dlogits) {
  for_each_index(on, logits.rows, [=] PIPELINE_HD(std::int64_t i) {
    const float* row = logits.data + i * logits.columns;
    float* out = dlogits.data + i * logits.columns;
    const float maximum = maximum_of(row, logits.columns);
    float sum = 0;
    for (std::int32_t j = 0; j < logits.columns; ++j) {
      const float share = std::exp(row[j] - maximum);
      out[j] = share;
      sum += share;
    }
    const float scale = weight / sum;
    for (std::int32_t j = 0; j < logits.columns; ++j) out[j] *= scale;
    out[labels[i]] -= weight;
  });
}

}  // namespace pipeline
