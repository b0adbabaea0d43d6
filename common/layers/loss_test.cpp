#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"

namespace pipeline {
namespace {

class Loss : public OnPlatform {
 protected:
  struct Outcome {
    double loss = 0;
    std::int32_t correct = 0;
    std::vector<float> gradient;
  };

  /// On top of what `loss` and `correct` hold before.
  Outcome measure(const DoubleMatrix& logits, const std::vector<std::int32_t>& labels,
                  float weight, double loss = 0, std::int32_t correct = 0) {
    Compute compute(device());
    const DeviceArray<float> device_logits(stream(), to_float(logits.values));
    const DeviceArray<std::int32_t> device_labels(stream(), labels);
    const DeviceArray<double> loss_sum(stream(), {loss});
    const DeviceArray<std::int32_t> hits(stream(), {correct});
    const DeviceArray<float> gradient(stream(),
                                      std::vector<float>(logits.values.size(), 9.0F));
    run(compute, [&](Compute& on) {
      const Matrix in = device_logits.matrix(logits.rows, logits.columns);
      softmax_cross_entropy(on, in, device_labels.data(), loss_sum.data(), hits.data());
      softmax_cross_entropy_gradient(on, in, device_labels.data(), weight,
                                     gradient.matrix(logits.rows, logits.columns));
    });
    return {loss_sum.read()[0], hits.read()[0], gradient.read()};
  }
};

std::vector<std::int32_t> some_labels(std::int32_t rows, std::int32_t classes) {
  std::vector<std::int32_t> labels;
  labels.reserve(static_cast<std::size_t>(rows));
  for (std::int32_t i = 0; i < rows; ++i) labels.push_back((i * i + 3) % classes);
  return labels;
}

TEST_F(Loss, AgreesWithItsReference) {
  for (const std::int32_t classes : {2, 10, 37}) {
    const DoubleMatrix logits = random_matrix(21, classes, 4, 5);
    const std::vector<std::int32_t> labels = some_labels(21, classes);
    const Outcome outcome = measure(logits, labels, 0.125F);
    const double loss = reference_loss(logits, labels);
    EXPECT_NEAR(outcome.loss, loss, 1e-6 * loss);
    EXPECT_LT(relative_error(outcome.gradient,
                             reference_loss_gradient(logits, labels, 0.125).values),
              1e-6);
  }
}

TEST_F(Loss, AddsToWhatWasThere) {
  const DoubleMatrix logits = random_matrix(8, 5, 2, 6);
  const std::vector<std::int32_t> labels = some_labels(8, 5);
  const Outcome alone = measure(logits, labels, 1);
  const Outcome added = measure(logits, labels, 1, 1000, 50);
  EXPECT_NEAR(added.loss, alone.loss + 1000, 1e-9);
  EXPECT_EQ(added.correct, alone.correct + 50);
}

// 3000 rows: in float the sum would be wrong in its fourth digit after the point.
TEST_F(Loss, SumsInDouble) {
  const DoubleMatrix logits(3000, 3);
  const Outcome outcome = measure(logits, some_labels(3000, 3), 1, 1e6);
  EXPECT_NEAR(outcome.loss - 1e6, 3000 * std::log(3.0), 3000 * 1e-7);
}

TEST_F(Loss, StaysFiniteAndRightWithLargeLogits) {
  DoubleMatrix logits(4, 3);
  logits.values = {1e4, -1e4, 0, -3e30, 3e30, 1, 80, 200, -200, 5000, 5000, 5000};
  const std::vector<std::int32_t> labels = {0, 1, 0, 2};
  const Outcome outcome = measure(logits, labels, 1);
  EXPECT_NEAR(outcome.loss, 0 + 0 + 120 + std::log(3.0), 1e-4);
  const std::vector<float> expected = {
      0, 0, 0, 0, 0, 0, -1, 1, 0, 1.0F / 3.0F, 1.0F / 3.0F, -2.0F / 3.0F};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(outcome.gradient[i], expected[i], 1e-6) << "element " << i;
  }
}

TEST_F(Loss, CountsTheFirstOfEqualLogitsAsTheAnswer) {
  DoubleMatrix logits(4, 3);
  logits.values = {7, 7, 2, 7, 7, 2, 1, 4, 4, 1, 4, 4};
  EXPECT_EQ(measure(logits, {0, 1, 1, 2}, 1).correct, 2);
  EXPECT_EQ(measure(logits, {1, 0, 2, 1}, 1).correct, 2);
  EXPECT_EQ(measure(logits, {0, 0, 1, 1}, 1).correct, 4);
  EXPECT_EQ(measure(logits, {1, 1, 2, 2}, 1).correct, 0);
}

}  // namespace
}  // namespace pipeline
