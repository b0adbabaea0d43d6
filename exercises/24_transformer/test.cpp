#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "classroom/test_words.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

// --- The loss of the next token ------------------------------------------------------

struct Window {
  std::int32_t vocabulary = 0;
  std::vector<std::int32_t> tokens;  ///< one more than positions
  std::vector<double> logits;

  static Window of(std::int32_t vocabulary, std::int32_t positions, double scale) {
    Window window;
    window.vocabulary = vocabulary;
    for (std::int32_t i = 0; i <= positions; ++i) {
      window.tokens.push_back((3 * i * i + 2 * i + 1) % vocabulary);
    }
    for (std::int32_t i = 0; i < positions * vocabulary; ++i) {
      window.logits.push_back(scale * std::sin(1.3 * i + 0.4));
    }
    return window;
  }

  /// With `ahead` 1 the token after each position is asked for.
  double loss(std::size_t ahead = 1) const {
    const auto width = static_cast<std::size_t>(vocabulary);
    long double sum = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto label = static_cast<std::size_t>(tokens[i + ahead]);
      long double others = 0;
      for (std::size_t c = 0; c < width; ++c) {
        others += std::exp(static_cast<long double>(logits[i * width + c] -
                                                    logits[i * width + label]));
      }
      sum += std::log(others);
    }
    return static_cast<double>(sum) / static_cast<double>(tokens.size() - 1);
  }

  std::string name() const {
    return std::to_string(tokens.size() - 1) + " positions, a vocabulary of " +
           std::to_string(vocabulary) + ": ";
  }
};

std::string diagnosis(const Window& window, double answer) {
  const auto positions = static_cast<double>(window.tokens.size() - 1);
  if (std::abs(answer - window.loss(0)) < 1e-9) {
    return "That is the loss of the token that it is shown: it asks for nothing new.";
  }
  if (std::abs(answer - positions * window.loss()) < 1e-9) {
    return "That is the sum over the positions, not their mean.";
  }
  return "Position i is asked for token i+1, and the loss is the mean.";
}

void expect_loss(const std::vector<Window>& windows) {
  for (const Window& window : windows) {
    const double answer =
        next_token_loss(window.logits, window.vocabulary, window.tokens);
    ASSERT_NEAR(answer, window.loss(), 1e-9)
        << window.name() << diagnosis(window, answer)
        << " Re-read chapter 24, \"Predict\".";
  }
}

TEST(NextTokenLoss, AsksEachPositionForTheTokenAfterIt) {
  POINTS(2);
  std::vector<Window> windows;
  for (const std::int32_t vocabulary : {2, 5, 11}) {
    for (const std::int32_t positions : {1, 3, 8})
      windows.push_back(Window::of(vocabulary, positions, 2.5));
  }
  expect_loss(windows);
}

void expect_number(const Window& window) {
  const double answer =
      next_token_loss(window.logits, window.vocabulary, window.tokens);
  ASSERT_NEAR(answer, window.loss(), 1e-6)
      << "With logits of thousands exp is infinite. What changes if you take the "
         "largest logit of a row from all of them?";
}

TEST(NextTokenLoss, IsANumberForLargeLogitsToo) {
  POINTS(1);
  expect_number(Window::of(7, 5, 4000));
}

// --- Blocks on stages ----------------------------------------------------------------

struct Split {
  std::int32_t blocks = 1;
  std::int32_t stages = 1;
};

/// Up to 9 blocks.
std::vector<Split> all_splits() {
  std::vector<Split> all;
  for (std::int32_t blocks = 1; blocks <= 9; ++blocks) {
    for (std::int32_t stages = 1; stages <= blocks; ++stages)
      all.push_back({blocks, stages});
  }
  return all;
}

void expect_every_layer(const std::vector<Split>& splits) {
  for (const auto& [blocks, stages] : splits) {
    const auto first = first_layers(blocks, stages);
    const std::int32_t layers = 1 + kBlockLayers * blocks + 2;
    ASSERT_EQ(first.size(), static_cast<std::size_t>(stages) + 1)
        << blocks << " blocks on " << stages << " stages: one number more than stages.";
    ASSERT_EQ(first.front(), 0) << "The embedding is the first stage's.";
    ASSERT_EQ(first.back(), layers)
        << blocks << " blocks on " << stages << " stages: there are " << layers
        << " layers, and none may be dropped: the embedding, " << kBlockLayers
        << " a block, the norm and the logits. Re-read chapter 24, \"A block and its "
           "stage\".";
  }
}

TEST(FirstLayers, GiveEveryLayerToAStage) {
  POINTS(1);
  expect_every_layer(all_splits());
}

void expect_even(const std::vector<Split>& splits) {
  for (const auto& [blocks, stages] : splits) {
    const auto first = first_layers(blocks, stages);
    std::int32_t before = 0;
    for (std::int32_t s = 1; s < stages; ++s) {
      before += (blocks + stages - s) / stages;
      ASSERT_LT(static_cast<std::size_t>(s), first.size());
      ASSERT_EQ(first[static_cast<std::size_t>(s)], 1 + kBlockLayers * before)
          << blocks << " blocks on " << stages << " stages: stage " << s
          << " begins with block " << before << ", which begins behind the embedding "
          << "and " << before << " blocks. Stages with one more come first. Re-read "
          << "chapter 24, \"A block and its stage\".";
    }
  }
}

TEST(FirstLayers, CutBetweenBlocksAsEvenAsItGoes) {
  POINTS(2);
  expect_even(all_splits());
}

// --- The mask of a slice -------------------------------------------------------------

std::string picture(const std::vector<std::vector<bool>>& mask) {
  std::string lines;
  for (const auto& row : mask) {
    lines += "\n    ";
    for (const bool sees : row) lines += sees ? "x" : ".";
    if (lines.size() > 4 * kMostShown) return lines.substr(0, 4 * kMostShown) + " …";
  }
  return lines;
}

struct Slice {
  std::int32_t first = 0;
  std::int32_t positions = 1;
};

void expect_mask(const std::vector<Slice>& slices) {
  for (const auto& [first, positions] : slices) {
    std::vector<std::vector<bool>> expected;
    for (std::int32_t row = 0; row < positions; ++row) {
      std::vector<bool> line(static_cast<std::size_t>(first + positions), false);
      std::fill_n(line.begin(), first + row + 1, true);
      expected.push_back(line);
    }
    const auto mask = slice_mask(first, positions);
    ASSERT_EQ(mask, expected)
        << "A slice of " << positions << " that begins at position " << first << " sees"
        << picture(expected) << "\nand by your mask" << picture(mask)
        << "\nIts row 0 is position " << first
        << " of the sequence. Re-read chapter 24, \"One model on every pipeline\".";
  }
}

TEST(SliceMask, ShowsAPositionItselfAndAllBeforeItInAllSlices) {
  POINTS(2);
  expect_mask({{0, 1}, {0, 2}, {0, 5}, {1, 1}, {1, 2}, {1, 5}, {4, 1}, {4, 2}, {4, 5}});
}

// --- Tied tables ---------------------------------------------------------------------

void expect_joined(const TiedGradients& apart, const std::vector<std::size_t>& counts) {
  for (const std::size_t count : counts) {
    TiedGradients expected = apart;
    for (std::size_t i = 0; i < count; ++i) {
      expected.embedding[i] = expected.logits[i] = apart.embedding[i] + apart.logits[i];
    }
    const TiedGradients both = joined(apart, count);
    ASSERT_EQ(both.embedding.size(), apart.embedding.size());
    ASSERT_EQ(both.logits.size(), apart.logits.size());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(both.embedding[i], both.logits[i])
          << "Parameter " << i << " is one, and its copies get different gradients: "
          << "after the update they differ. Re-read chapter 24, \"One model on every "
             "pipeline\".";
      ASSERT_EQ(both.embedding[i], expected.embedding[i])
          << "Parameter " << i << " is used twice, so its gradient is the sum of both. "
          << "Re-read chapter 24, \"One model on every pipeline\".";
    }
    ASSERT_EQ(both.embedding, expected.embedding)
        << "Behind the table each layer's parameters are its own.";
    ASSERT_EQ(both.logits, expected.logits)
        << "Behind the table each layer's parameters are its own.";
  }
}

TEST(Joined, GivesBothCopiesTheSumAndLeavesTheRest) {
  POINTS(2);
  expect_joined({{1, -2.5, 4, 0.75, 9}, {0.5, 3, -7, 11}}, {1, 3, 4});
}

// --- The norm over stages ------------------------------------------------------------

/// `squares` cut into stages of so many parameters each.
std::vector<std::vector<double>> cut(const std::vector<double>& squares,
                                     std::size_t each) {
  std::vector<std::vector<double>> stages;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (i % each == 0) stages.emplace_back();
    stages.back().push_back(squares[i]);
  }
  return stages;
}

void expect_limit(const std::vector<double>& squares,
                  const std::vector<double>& limits) {
  const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  for (const std::size_t each : {std::size_t{1}, std::size_t{2}, squares.size()}) {
    for (const double limit : limits) {
      ASSERT_NEAR(clip_factor(cut(squares, each), limit), std::min(1.0, limit / norm),
                  1e-12)
          << "All gradients together have a norm of " << norm << ", the limit is "
          << limit
          << ". Smaller ones stay as they are. Re-read chapter 24, \"The rate\".";
    }
  }
}

TEST(ClipFactor, BringsTheNormOfAllGradientsDownToTheLimit) {
  POINTS(2);
  // A norm of 6.
  expect_limit({4, 9, 1, 16, 6}, {0.5, 1.0, 3.0, 6.0, 7.5});
}

/// Of very different sizes.
std::vector<double> rough_squares(std::int32_t count, std::int32_t first) {
  std::vector<double> squares;
  squares.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = first; i < first + count; ++i)
    squares.push_back(std::exp(3 * std::sin(2.7 * i)));
  return squares;
}

void expect_same_bits(const std::vector<double>& squares) {
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
  const double one = clip_factor(cut(squares, squares.size()), 1);
  ASSERT_NEAR(one, 1 / std::sqrt(sum), 1e-12)
      << "One stage, a norm of " << std::sqrt(sum) << ", a limit of 1.";
  for (std::size_t each = 1; each < squares.size(); ++each) {
    ASSERT_EQ(clip_factor(cut(squares, each), 1), one)
        << "With " << each << " parameters a stage the factor differs in its last bits "
        << "from that of one stage. Add up in model order, not stage by stage. Re-read "
           "chapter 24, \"One model on every pipeline\".";
  }
}

TEST(ClipFactor, HasTheSameBitsForEveryNumberOfStages) {
  POINTS(2);
  expect_same_bits(rough_squares(60, 0));
}

// --- The rate ------------------------------------------------------------------------

void expect_rise(const std::vector<Rates>& all) {
  for (const Rates& rates : all) {
    const std::int64_t warmup = rates.warmup_steps;
    for (std::int64_t step = 0; step < warmup; ++step) {
      const double expected =
          rates.highest * static_cast<double>(step + 1) / static_cast<double>(warmup);
      ASSERT_NEAR(rate_at(step, rates), expected, 1e-12)
          << "Step " << step << " of " << warmup
          << " in the warm-up. The first step already learns. Re-read chapter 24, "
             "\"The rate\".";
    }
  }
}

TEST(RateAt, RisesInALineToTheHighest) {
  POINTS(1);
  expect_rise({{1, 5, 0.3, 0.02}, {4, 14, 0.3, 0.02}, {10, 32, 0.3, 0.02}});
}

void expect_fall(const std::vector<Rates>& all) {
  for (const Rates& rates : all) {
    const std::int64_t warmup = rates.warmup_steps;
    const std::int64_t length = rates.decay_steps - warmup;
    for (std::int64_t i = 0; i <= length + 2; ++i) {
      const double share =
          std::min(1.0, static_cast<double>(i) / static_cast<double>(length));
      const double expected =
          rates.least +
          (rates.highest - rates.least) * (1 + std::cos(std::numbers::pi * share)) / 2;
      ASSERT_NEAR(rate_at(warmup + i, rates), expected, 1e-12)
          << "Step " << warmup + i << ", warm-up " << warmup << ", least rate in step "
          << rates.decay_steps
          << ": the cosine begins behind the warm-up. Re-read chapter 24, \"The "
             "rate\".";
    }
  }
}

TEST(RateAt, FallsHalfACosineToTheLeastAndStaysThere) {
  POINTS(2);
  expect_fall({{1, 6, 0.3, 0.02}, {4, 15, 0.3, 0.02}, {10, 33, 0.3, 0.02}});
}

// --- Drawn inputs: see classroom/draw.hpp

Window drawn_window(Draw& draw, std::int32_t scale) {
  Window window;
  window.vocabulary = draw.between(3, 20);
  const std::int32_t positions = draw.between(2, 12);
  for (std::int32_t i = 0; i <= positions; ++i)
    window.tokens.push_back(draw.between(0, window.vocabulary - 1));
  window.logits = draw.quarters(positions * window.vocabulary, -scale, scale);
  return window;
}

TEST(NextTokenLoss, HoldsForDrawnWindowsToo) {
  POINTS(1);
  Draw draw;
  std::vector<Window> windows;
  windows.reserve(10);
  for (int i = 0; i < 10; ++i) windows.push_back(drawn_window(draw, 4));
  expect_loss(windows);
  expect_number(drawn_window(draw, 5000));
}

TEST(FirstLayers, HoldForDrawnModelsToo) {
  POINTS(1);
  Draw draw;
  std::vector<Split> splits;
  for (int i = 0; i < 40; ++i) {
    const std::int32_t blocks = draw.between(10, 96);
    splits.push_back({blocks, draw.between(2, blocks)});
  }
  expect_every_layer(splits);
  expect_even(splits);
}

TEST(SliceMask, HoldsForDrawnSlicesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Slice> slices;
  slices.reserve(10);
  for (int i = 0; i < 10; ++i)
    slices.push_back({draw.between(1, 30), draw.between(2, 16)});
  expect_mask(slices);
}

TEST(Joined, HoldsForDrawnGradientsToo) {
  POINTS(1);
  Draw draw;
  for (int i = 0; i < 6; ++i) {
    const std::int32_t count = draw.between(5, 40);
    const TiedGradients apart = {draw.quarters(count + draw.between(1, 9), -9, 9),
                                 draw.quarters(count + draw.between(1, 9), -9, 9)};
    expect_joined(apart, {static_cast<std::size_t>(count)});
  }
}

TEST(ClipFactor, HoldsForDrawnGradientsToo) {
  POINTS(1);
  Draw draw;
  for (int i = 0; i < 6; ++i) {
    expect_limit(draw.quarters(draw.between(3, 30), 1, 20),
                 {draw.quarters(1, 3), 100.0 + draw.between(1, 9)});
  }
  expect_same_bits(rough_squares(draw.between(40, 90), draw.between(100, 9000)));
}

TEST(RateAt, HoldsForDrawnRatesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Rates> all;
  for (int i = 0; i < 8; ++i) {
    const std::int32_t warmup = draw.between(2, 40);
    all.push_back({warmup, warmup + draw.between(3, 60), draw.quarters(1, 3),
                   0.01 * draw.between(1, 9)});
  }
  expect_rise(all);
  expect_fall(all);
}

}  // namespace
}  // namespace pipeline
