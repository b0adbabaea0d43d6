#include "layers/dropout.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kSamples = 6;
constexpr std::int32_t kPositions = 8;
constexpr std::int32_t kWidth = 70;
constexpr std::int32_t kRows = kSamples * kPositions;

Pass whole_batch() {
  Pass pass;
  pass.positions = kPositions;
  pass.all_positions = kPositions;
  pass.step = 3;
  pass.seed = 77;
  return pass;
}

class DropoutTest : public OnPlatform {
 protected:
  static std::vector<float> inputs() {
    return to_float(random_matrix(kRows, kWidth, 2, 51).values);
  }
  /// Of `rows` rows that begin at row `first` of the inputs.
  std::vector<float> output_of(const Pass& pass, std::int32_t first = 0,
                               std::int32_t rows = kRows, std::int32_t layer = 4,
                               float rate = 0.3F, bool backward = false) {
    Compute compute(device());
    const std::vector<float> all = inputs();
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first) * kWidth;
    const DeviceArray<float> x(
        stream(),
        std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(rows) * kWidth));
    const DeviceArray<float> y(stream(), std::vector<float>(x.size(), 9.0F));
    const auto masked = dropout(kWidth, rate, layer);
    Call call;
    call.pass = pass;
    run(compute, [&](Compute& on) {
      if (backward) {
        masked->input_gradient(on, call, {}, x.matrix(rows, kWidth),
                               y.matrix(rows, kWidth));
      } else {
        masked->forward(on, call, x.matrix(rows, kWidth), y.matrix(rows, kWidth));
      }
    });
    return y.read();
  }
  static double share_of_zeros(const std::vector<float>& values) {
    double zeros = 0;
    for (const float value : values) zeros += value == 0.0F ? 1 : 0;
    return zeros / static_cast<double>(values.size());
  }
  /// How many elements are dropped in both, over what chance would give.
  static double common(const std::vector<float>& a, const std::vector<float>& b) {
    double both = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      both += a[i] == 0.0F && b[i] == 0.0F ? 1 : 0;
    }
    return both /
           (share_of_zeros(a) * share_of_zeros(b) * static_cast<double>(a.size()));
  }
};

TEST_F(DropoutTest, DropsItsShareAndScalesTheRest) {
  const std::vector<float> x = inputs();
  for (const float rate : {0.1F, 0.3F, 0.5F, 0.9F}) {
    const std::vector<float> y = output_of(whole_batch(), 0, kRows, 4, rate);
    EXPECT_NEAR(share_of_zeros(y), rate, 0.03);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (y[i] != 0.0F) {
        EXPECT_FLOAT_EQ(y[i], x[i] / (1 - rate));
      }
    }
  }
}

TEST_F(DropoutTest, LeavesEverythingAsItIsOutsideOfTraining) {
  Pass pass = whole_batch();
  pass.training = false;
  EXPECT_EQ(output_of(pass), inputs());
  EXPECT_EQ(output_of(whole_batch(), 0, kRows, 4, 0), inputs());
}

TEST_F(DropoutTest, MasksTheGradientAsItMaskedTheInput) {
  EXPECT_EQ(output_of(whole_batch(), 0, kRows, 4, 0.3F, true),
            output_of(whole_batch()));
}

TEST_F(DropoutTest, IsTheSameForEveryNumberOfMicroBatchesAndOnReComputation) {
  const std::vector<float> whole = output_of(whole_batch());
  for (const std::int32_t samples : {1, 2, 3}) {
    std::vector<float> parts;
    for (std::int32_t first = 0; first < kSamples; first += samples) {
      Pass pass = whole_batch();
      pass.first_sample = first;
      pass.again = first > 0;
      const std::vector<float> part =
          output_of(pass, first * kPositions, samples * kPositions);
      parts.insert(parts.end(), part.begin(), part.end());
    }
    EXPECT_EQ(parts, whole) << samples << " samples each";
  }
}

TEST_F(DropoutTest, IsTheSameForSlicesOfASequence) {
  const std::vector<float> whole = output_of(whole_batch());
  for (std::int32_t sample = 0; sample < kSamples; ++sample) {
    for (std::int32_t first = 0; first < kPositions; first += 4) {
      Pass pass = whole_batch();
      pass.first_sample = sample;
      pass.positions = 4;
      pass.first_position = first;
      const std::int32_t row = sample * kPositions + first;
      const std::vector<float> slice = output_of(pass, row, 4);
      for (std::size_t i = 0; i < slice.size(); ++i) {
        ASSERT_EQ(slice[i], whole[static_cast<std::size_t>(row) * kWidth + i]);
      }
    }
  }
}

TEST_F(DropoutTest, IsDrawnAnewForEverySeedStepAndLayer) {
  const std::vector<float> first = output_of(whole_batch());
  Pass next_step = whole_batch();
  next_step.step += 1;
  Pass other_seed = whole_batch();
  other_seed.seed += 1;
  // Step and layer must not stand for one another either.
  EXPECT_NEAR(common(first, output_of(next_step)), 1, 0.15);
  EXPECT_NEAR(common(first, output_of(other_seed)), 1, 0.15);
  EXPECT_NEAR(common(first, output_of(whole_batch(), 0, kRows, 5)), 1, 0.15);
  EXPECT_NEAR(common(output_of(next_step), output_of(whole_batch(), 0, kRows, 5)), 1,
              0.15);
}

TEST_F(DropoutTest, DiffersBetweenSamplesPositionsAndColumns) {
  const std::vector<float> y = output_of(whole_batch());
  const auto row = [&](std::int32_t sample, std::int32_t position) {
    const auto begin =
        y.begin() +
        static_cast<std::ptrdiff_t>(sample * kPositions + position) * kWidth;
    return std::vector<float>(begin, begin + kWidth);
  };
  // Over all pairs the agreement is that of chance.
  double samples = 0;
  double positions = 0;
  double columns = 0;
  for (std::int32_t sample = 0; sample + 1 < kSamples; ++sample) {
    for (std::int32_t position = 0; position + 1 < kPositions; ++position) {
      const std::vector<float> here = row(sample, position);
      std::vector<float> shifted = here;
      shifted.erase(shifted.begin());
      shifted.push_back(here.front());
      samples += common(here, row(sample + 1, position));
      positions += common(here, row(sample, position + 1));
      columns += common(here, shifted);
    }
  }
  constexpr double kPairs = (kSamples - 1) * (kPositions - 1);
  EXPECT_NEAR(samples / kPairs, 1, 0.15);
  EXPECT_NEAR(positions / kPairs, 1, 0.15);
  EXPECT_NEAR(columns / kPairs, 1, 0.15);
}

}  // namespace
}  // namespace pipeline
