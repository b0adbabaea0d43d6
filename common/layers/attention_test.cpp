#include "layers/attention.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"
#include "layers/sequence_reference.hpp"

namespace pipeline {
namespace {

Pass in_sequences_of(std::int32_t positions) {
  Pass pass;
  pass.positions = positions;
  pass.all_positions = positions;
  return pass;
}

struct Size {
  std::int32_t samples, positions, width, heads;
};

std::string in_words(const Size& s) {
  return std::to_string(s.samples) + " samples of " + std::to_string(s.positions) +
         ", width " + std::to_string(s.width) + ", heads " + std::to_string(s.heads);
}

class Attention : public OnPlatform {
 protected:
  LayerErrors errors_of(MatmulWith with, const Size& s) {
    Compute compute(device(), with);
    const auto layer = causal_attention(s.width, s.heads);
    return compare_with_reference(
        stream(), compute, *layer, *reference_causal_attention(s.width, s.heads),
        draw_trial(*layer, s.samples * s.positions, 41, in_sequences_of(s.positions)));
  }
};

// 150 and 200 positions are more than one block of queries.
TEST_F(Attention, AgreesWithItsReference) {
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    for (const Size& s : {Size{3, 1, 4, 2},
                          {2, 5, 12, 3},
                          {3, 33, 20, 1},
                          {2, 64, 16, 4},
                          {1, 150, 12, 2},
                          {2, 200, 8, 1}}) {
      const LayerErrors errors = errors_of(with, s);
      EXPECT_LT(errors.forward, 3e-6) << in_words(s);
      EXPECT_LT(errors.input_gradient, 3e-6) << in_words(s);
    }
  }
}

TEST(AttentionReference, HasTheGradientsThatFiniteDifferencesFind) {
  EXPECT_LT(
      finite_difference_error(*reference_causal_attention(6, 2), in_sequences_of(5), {},
                              random_matrix(10, 18, 2, 2), random_matrix(10, 6, 1, 3)),
      1e-8);
}

TEST_F(Attention, OfTheFirstPositionIsItsValueAndLaterOnesChangeNothingBefore) {
  Compute compute(device());
  const auto layer = causal_attention(8, 2);
  const std::vector<float> x = to_float(random_matrix(6, 24, 2, 42).values);
  std::vector<float> changed = x;
  for (std::size_t i = std::size_t{4} * 24; i < changed.size(); ++i) changed[i] = 30;
  const auto output_of = [&](const std::vector<float>& values) {
    const DeviceArray<float> in(stream(), values);
    const DeviceArray<float> out(stream(), std::vector<float>(48));
    Call call;
    call.pass = in_sequences_of(6);
    run(compute, [&](Compute& on) {
      layer->forward(on, call, in.matrix(6, 24), out.matrix(6, 8));
    });
    return out.read();
  };
  const std::vector<float> y = output_of(x);
  const std::vector<float> other = output_of(changed);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_FLOAT_EQ(y[j], x[16 + j]);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(y[i], other[i]) << i;
  for (std::size_t i = 32; i < 48; ++i) EXPECT_NE(y[i], other[i]) << i;
}

TEST_F(Attention, StaysFiniteWithLargeScores) {
  Compute compute(device());
  const auto layer = causal_attention(4, 1);
  DoubleMatrix x = random_matrix(9, 12, 1, 43);
  for (std::int32_t i = 0; i < 9; ++i) {
    for (std::int32_t j = 0; j < 8; ++j) x.at(i, j) *= 200;
  }
  LayerTrial trial = draw_trial(*layer, 9, 44, in_sequences_of(9));
  trial.x = x;
  const LayerErrors errors = compare_with_reference(
      stream(), compute, *layer, *reference_causal_attention(4, 1), trial);
  EXPECT_LT(errors.forward, 1e-2);  // exp of differences of some 10^4
  EXPECT_TRUE(std::isfinite(errors.input_gradient));
}

/// The rows of positions [first, first + positions) of each sample.
std::vector<float> slice_of(const DoubleMatrix& whole, const Size& s,
                            std::int32_t first, std::int32_t positions) {
  std::vector<float> rows;
  for (std::int32_t sample = 0; sample < s.samples; ++sample) {
    for (std::int32_t i = 0; i < positions; ++i) {
      for (std::int32_t j = 0; j < whole.columns; ++j) {
        rows.push_back(
            static_cast<float>(whole.at(sample * s.positions + first + i, j)));
      }
    }
  }
  return rows;
}

class AttentionInSlices : public Attention {
 protected:
  struct Outcome {
    std::vector<float> y, dx;  ///< slice after slice
  };
  struct Slice {
    Pass pass;
    std::int32_t rows;
    DeviceArray<float> x, dy, y, dx;
  };

  /// Forward of all slices and back again, `rounds` times in the same cache.
  Outcome run_slices(const Size& s, const std::vector<std::int32_t>& lengths,
                     int rounds = 1, int forwards = 1) {
    Compute compute(device());
    const auto layer = causal_attention(s.width, s.heads);
    const DoubleMatrix x = random_matrix(s.samples * s.positions, 3 * s.width, 2, 45);
    const DoubleMatrix dy = random_matrix(s.samples * s.positions, s.width, 1, 46);
    // What the cache held before must not matter.
    const DeviceArray<float> cache(
        stream(),
        std::vector<float>(layer->cache_floats(s.samples, s.positions), 1e3F));
    std::vector<Slice> slices;
    std::int32_t first = 0;
    for (const std::int32_t length : lengths) {
      Pass pass;
      pass.positions = length;
      pass.first_position = first;
      pass.all_positions = s.positions;
      const auto count = static_cast<std::size_t>(s.samples) * length * s.width;
      slices.push_back({pass,
                        s.samples * length,
                        {stream(), slice_of(x, s, first, length)},
                        {stream(), slice_of(dy, s, first, length)},
                        {stream(), std::vector<float>(count)},
                        {stream(), std::vector<float>(3 * count)}});
      first += length;
    }
    const auto call_of = [&](const Slice& slice) {
      Call call;
      call.cache = cache.data();
      call.pass = slice.pass;
      return call;
    };
    run(compute, [&](Compute& on) {
      for (int round = 0; round < rounds; ++round) {
        for (const Slice& slice : slices) {
          for (int i = 0; i < forwards; ++i) {
            layer->forward(on, call_of(slice), slice.x.matrix(slice.rows, 3 * s.width),
                           slice.y.matrix(slice.rows, s.width));
          }
        }
        for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
          layer->input_gradient(on, call_of(*slice),
                                slice->x.matrix(slice->rows, 3 * s.width),
                                slice->dy.matrix(slice->rows, s.width),
                                slice->dx.matrix(slice->rows, 3 * s.width));
        }
      }
    });
    Outcome outcome;
    for (const Slice& slice : slices) {
      const std::vector<float> y = slice.y.read();
      const std::vector<float> dx = slice.dx.read();
      outcome.y.insert(outcome.y.end(), y.begin(), y.end());
      outcome.dx.insert(outcome.dx.end(), dx.begin(), dx.end());
    }
    return outcome;
  }

  /// The same from the reference, which knows whole sequences only.
  static std::pair<std::vector<double>, std::vector<double>> expected(
      const Size& s, const std::vector<std::int32_t>& lengths) {
    const auto reference = reference_causal_attention(s.width, s.heads);
    const Pass pass = in_sequences_of(s.positions);
    const DoubleMatrix x = random_matrix(s.samples * s.positions, 3 * s.width, 2, 45);
    const DoubleMatrix dy = random_matrix(s.samples * s.positions, s.width, 1, 46);
    const DoubleMatrix y = reference->forward(pass, {}, x);
    const DoubleMatrix dx = reference->input_gradient(pass, {}, x, dy);
    std::vector<double> all_y;
    std::vector<double> all_dx;
    std::int32_t first = 0;
    for (const std::int32_t length : lengths) {
      for (const float value : slice_of(y, s, first, length)) all_y.push_back(value);
      for (const float value : slice_of(dx, s, first, length)) all_dx.push_back(value);
      first += length;
    }
    return {all_y, all_dx};
  }
};

TEST_F(AttentionInSlices, GivesWhatTheWholeSequenceGives) {
  struct Cut {
    Size size;
    std::vector<std::int32_t> lengths;
  };
  for (const Cut& cut : {Cut{{3, 12, 10, 2}, {12}},
                         {{3, 12, 10, 2}, {5, 4, 3}},
                         {{1, 9, 6, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
                         {{2, 170, 8, 2}, {70, 100}}}) {
    const auto [y, dx] = expected(cut.size, cut.lengths);
    const Outcome outcome = run_slices(cut.size, cut.lengths);
    EXPECT_LT(relative_error(outcome.y, y), 3e-6) << in_words(cut.size);
    EXPECT_LT(relative_error(outcome.dx, dx), 3e-6) << in_words(cut.size);
  }
}

TEST_F(AttentionInSlices, StartsItsGradientsAnewWithEachMicroBatch) {
  const Size size{2, 10, 6, 2};
  const Outcome once = run_slices(size, {4, 3, 3});
  const Outcome again = run_slices(size, {4, 3, 3}, 3);
  EXPECT_EQ(once.y, again.y);
  EXPECT_EQ(once.dx, again.dx);
}

TEST_F(AttentionInSlices, MayRunAForwardAgain) {
  const Size size{2, 10, 6, 2};
  const Outcome once = run_slices(size, {4, 3, 3});
  const Outcome again = run_slices(size, {4, 3, 3}, 1, 2);
  EXPECT_EQ(once.y, again.y);
  EXPECT_EQ(once.dx, again.dx);
}

TEST(CausalAttention, SaysItsNameAndSizes) {
  EXPECT_EQ(causal_attention(12, 3)->name(), "causal attention 12, 3 heads");
  EXPECT_EQ(causal_attention(4, 1)->name(), "causal attention 4, 1 head");
  EXPECT_EQ(causal_attention(12, 3)->inputs(), 36);
  EXPECT_EQ(causal_attention(12, 3)->outputs(), 12);
  EXPECT_EQ(causal_attention(12, 3)->parameter_count(), 0U);
  EXPECT_EQ(causal_attention(12, 3)->cache_floats(5, 7), 5U * 7U * 4U * 12U);
}

}  // namespace
}  // namespace pipeline
