#include <cmath>

#include "layers/layer.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// What softmax needs to know of a row of logits. The largest is taken off before exp,
/// so that no logit, however large, overflows; of equal ones the first counts.
struct RowSummary {
  std::int32_t largest = 0;  ///< its column
  float maximum = 0;
  float sum = 0;  ///< of exp(logit - maximum)
};

PIPELINE_HD inline RowSummary summarise(const float* row, std::int32_t columns) {
  RowSummary summary;
  summary.maximum = row[0];
  for (std::int32_t j = 1; j < columns; ++j) {
    if (row[j] > summary.maximum) {
      summary.maximum = row[j];
      summary.largest = j;
    }
  }
  for (std::int32_t j = 0; j < columns; ++j) {
    summary.sum += std::exp(row[j] - summary.maximum);
  }
  return summary;
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
    const RowSummary summary = summarise(row, logits.columns);
    const float loss = std::log(summary.sum) + (summary.maximum - row[labels[i]]);
    loss_of[i] = static_cast<double>(loss);
    hit_of[i] = summary.largest == labels[i] ? 1 : 0;
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
    const RowSummary summary = summarise(row, logits.columns);
    const float scale = weight / summary.sum;
    for (std::int32_t j = 0; j < logits.columns; ++j) {
      out[j] = std::exp(row[j] - summary.maximum) * scale;
    }
    out[labels[i]] -= weight;
  });
}

}  // namespace pipeline
