#include "layers/batch_norm.hpp"

#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/image_reference.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"

namespace pipeline {
namespace {

constexpr double kMost = 1e-5;

const std::vector<ImageShape>& shapes() {
  static const std::vector<ImageShape> all = {
      {1, 1, 3}, {5, 7, 16}, {4, 4, 37}, {3, 1, 100}, {9, 9, 1}};
  return all;
}

/// Mean and unbiased variance of each channel over some rows, in double.
struct Seen {
  std::vector<double> mean, variance;

  Seen(const DoubleMatrix& x, std::int32_t first, std::int32_t end,
       std::size_t channels)
      : mean(channels), variance(channels) {
    const auto columns = static_cast<std::size_t>(x.columns);
    const std::size_t begin = static_cast<std::size_t>(first) * columns;
    const std::size_t stop = static_cast<std::size_t>(end) * columns;
    const std::size_t values = (stop - begin) / channels;
    const auto count = static_cast<double>(values);
    for (std::size_t i = begin; i < stop; ++i) {
      mean[i % channels] += x.values[i] / count;
    }
    for (std::size_t i = begin; i < stop; ++i) {
      const double apart = x.values[i] - mean[i % channels];
      variance[i % channels] += apart * apart / (count - 1);
    }
  }
};

class BatchNormTest : public OnPlatform {
 protected:
  static constexpr std::int32_t kRows = 11;
  static constexpr ImageShape kImage = {3, 5, 4};
  const DoubleMatrix x_ = random_matrix(kRows, kImage.columns(), 2, 31);

  /// The state after forwards of the rows up to each of `ends`, and the end of the
  /// step, on what was there before.
  std::vector<float> state_after(BatchNormMode mode,
                                 const std::vector<std::int32_t>& ends,
                                 const Pass& pass = {}, int steps = 1) {
    const auto layer = batch_norm(kImage, mode);
    std::vector<float> start(layer->state_count());
    layer->initialise_state(start.data());
    std::vector<float> weights(layer->parameter_count());
    layer->initialise(weights.data(), 1);
    const DeviceArray<float> state(stream(), start);
    const DeviceArray<float> parameters(stream(), weights);
    const DeviceArray<float> x(stream(), to_float(x_.values));
    const DeviceArray<float> y(stream(), to_float(x_.values));
    Compute compute(device());
    run(compute, [&](Compute& on) {
      Call call(parameters.data());
      call.state = state.data();
      call.pass = pass;
      for (int step = 0; step < steps; ++step) {
        std::int32_t begin = 0;
        for (const std::int32_t end : ends) {
          const std::ptrdiff_t at = std::ptrdiff_t{begin} * kImage.columns();
          layer->forward(on, call, {x.data() + at, end - begin, kImage.columns()},
                         {y.data() + at, end - begin, kImage.columns()});
          begin = end;
        }
        layer->end_step(on, state.data());
      }
    });
    return state.read();
  }

  /// That the running statistics began as 0 and 1 and took in these, one after another.
  static void expect_running(const std::vector<float>& state,
                             const std::vector<Seen>& seen) {
    for (std::size_t c = 0; c < kImage.channels; ++c) {
      double mean = 0;
      double variance = 1;
      for (const Seen& s : seen) {
        mean += 0.1 * (s.mean[c] - mean);
        variance += 0.1 * (s.variance[c] - variance);
      }
      EXPECT_NEAR(state[c], mean, 1e-6);
      EXPECT_NEAR(state[kImage.channels + c], variance, 1e-6);
    }
  }
  Seen seen(std::int32_t first, std::int32_t end) const {
    return {x_, first, end, static_cast<std::size_t>(kImage.channels)};
  }
};

TEST_F(BatchNormTest, AgreesWithItsReference) {
  Compute compute(device());
  for (const ImageShape& shape : shapes()) {
    for (const std::int32_t rows : {4, 13}) {
      const auto layer = batch_norm(shape);
      const LayerErrors errors = compare_with_reference(stream(), compute, *layer,
                                                        *reference_batch_norm(shape),
                                                        draw_trial(*layer, rows, 32));
      EXPECT_LT(errors.forward, kMost) << layer->name();
      EXPECT_LT(errors.input_gradient, kMost) << layer->name();
      EXPECT_LT(errors.weight_gradient, kMost) << layer->name();
    }
  }
}

TEST(BatchNormReference, AgreesWithFiniteDifferences) {
  for (const ImageShape& shape : shapes()) {
    const auto layer = batch_norm(shape);
    const LayerTrial trial = draw_trial(*layer, 3, 33);
    EXPECT_LT(finite_difference_error(*reference_batch_norm(shape), trial.pass,
                                      trial.parameters, trial.x, trial.dy),
              1e-7)
        << layer->name();
  }
}

// The mean is a thousand times the deviation: a sum of squares less the square of the
// sum would keep one digit.
TEST_F(BatchNormTest, OfLargeMeansLosesNoMoreThanTheInputsRounding) {
  const ImageShape shape = {6, 6, 5};
  const auto layer = batch_norm(shape);
  LayerTrial trial = draw_trial(*layer, 40, 34);
  for (double& value : trial.x.values) {
    value = static_cast<double>(static_cast<float>(1000 + value));
  }
  Compute compute(device());
  EXPECT_LT(compare_with_reference(stream(), compute, *layer,
                                   *reference_batch_norm(shape), trial)
                .largest(),
            1e-4);
}

TEST_F(BatchNormTest, MovesItsRunningStatisticsAtEveryMicroBatch) {
  expect_running(state_after(BatchNormMode::PerMicroBatch, {4, 8, kRows}),
                 {seen(0, 4), seen(4, 8), seen(8, kRows)});
}

TEST_F(BatchNormTest, DeferredMovesThemOnceByTheWholeMiniBatchHoweverItIsCut) {
  for (const std::vector<std::int32_t>& ends :
       {std::vector<std::int32_t>{kRows}, {4, 8, kRows}, {1, 2, 10, kRows}}) {
    expect_running(state_after(BatchNormMode::Deferred, ends), {seen(0, kRows)});
    expect_running(state_after(BatchNormMode::Deferred, ends, {}, 2),
                   {seen(0, kRows), seen(0, kRows)});
  }
}

TEST_F(BatchNormTest, KeepsItsStateInReComputationAndInEvaluation) {
  for (const BatchNormMode mode :
       {BatchNormMode::PerMicroBatch, BatchNormMode::Deferred}) {
    const std::vector<float> start = state_after(mode, {});
    EXPECT_EQ(state_after(mode, {4, kRows}, {.again = true}), start);
    EXPECT_EQ(state_after(mode, {4, kRows}, {.training = false}), start);
    EXPECT_NE(state_after(mode, {4, kRows}), start);
  }
}

TEST_F(BatchNormTest, EvaluatesByItsRunningStatistics) {
  const ImageShape shape = {1, 2, 2};
  const auto layer = batch_norm(shape);
  const DeviceArray<float> parameters(stream(), {2.0F, 3.0F, 0.5F, -1.0F});
  const DeviceArray<float> state(stream(), {1.0F, -2.0F, 4.0F, 0.25F});
  const DeviceArray<float> x(stream(), {5.0F, -1.0F, -3.0F, 0.0F});
  const DeviceArray<float> y(stream(), std::vector<float>(4, 9.0F));
  Compute compute(device());
  run(compute, [&](Compute& on) {
    Call call(parameters.data());
    call.state = state.data();
    call.pass.training = false;
    layer->forward(on, call, x.matrix(1, 4), y.matrix(1, 4));
  });
  const std::vector<float> out = y.read();
  EXPECT_NEAR(out[0], 2 * 4 / std::sqrt(4 + 1e-5) + 0.5, 1e-5);
  EXPECT_NEAR(out[1], 3 * 1 / std::sqrt(0.25 + 1e-5) - 1, 1e-5);
  EXPECT_NEAR(out[2], 2 * -4 / std::sqrt(4 + 1e-5) + 0.5, 1e-5);
  EXPECT_NEAR(out[3], 3 * 2 / std::sqrt(0.25 + 1e-5) - 1, 1e-5);
}

TEST(BatchNorm, StartsWithScalesOfOneAndShiftsOfZero) {
  const auto layer = batch_norm({4, 4, 2});
  std::vector<float> weights(layer->parameter_count(), 9.0F);
  layer->initialise(weights.data(), 5);
  EXPECT_EQ(weights, (std::vector<float>{1, 1, 0, 0}));
  EXPECT_EQ(layer->name(), "batch norm 4x4x2");
  EXPECT_EQ(layer->decayed_count(), 0U);
}

}  // namespace
}  // namespace pipeline
