#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

/// One device, one micro-batch, fewer micro-batches than devices, and more.
const std::vector<PipelineSize> kSizes = {{1, 1}, {1, 5}, {2, 1}, {2, 3}, {3, 2},
                                          {4, 4}, {4, 8}, {5, 3}, {6, 11}};

Schedule student_schedule(PipelineSize size) {
  return step_of("gpipe", size, /*training=*/true,
                 [size](std::int32_t s) { return gpipe_row(s, size.micro_batches); });
}

void expect_each_once(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    const Schedule schedule = student_schedule(size);
    ASSERT_EQ(first_fault(schedule), "")
        << size.name() << "device 0 does " << in_words(as_written(schedule.rows[0]))
        << ". " << each_action_once(size)
        << ". Re-read chapter 10, \"All forwards, then all backwards\".";
  }
}

TEST(GPipeRow, RunsEveryForwardAndEveryBackwardOnce) {
  POINTS(1);
  expect_each_once(kSizes);
}

void expect_forwards_first(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row row = gpipe_row(s, size.micro_batches);
      bool backward_seen = false;
      ASSERT_EQ(row.size(), static_cast<std::size_t>(2 * size.micro_batches))
          << size.name()
          << "a row holds a forward and a backward for each micro-batch.";
      for (const Entry& entry : row) {
        backward_seen = backward_seen || entry.action.kind == ActionKind::Backward;
        ASSERT_FALSE(backward_seen && entry.action.kind == ActionKind::Forward)
            << size.name() << "stage " << s << " does " << in_words(row)
            << ": GPipe runs its last forward before its first backward. Re-read "
               "chapter "
               "10, \"All forwards, then all backwards\".";
      }
    }
  }
}

TEST(GPipeRow, RunsAllForwardsBeforeTheFirstBackward) {
  POINTS(1);
  expect_forwards_first(kSizes);
}

void expect_backwards_in_order(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row row = gpipe_row(s, size.micro_batches);
      ASSERT_EQ(order_of(row, ActionKind::Backward), first_to_last(size.micro_batches))
          << size.name() << "stage " << s << " does " << in_words(row)
          << ": gradients must add up in the order of the micro-batches, as on one "
             "device, or the weights differ in their last bits. Re-read chapter 10, "
             "\"Equal to the full batch\".";
    }
  }
}

TEST(GPipeRow, RunsTheBackwardsInTheOrderOfTheMicroBatches) {
  POINTS(1);
  expect_backwards_in_order(kSizes);
}

void expect_ticks(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    const auto ticks = ticks_of(student_schedule(size));
    ASSERT_TRUE(ticks.has_value()) << size.name() << ticks.error().what;
    const std::int32_t bound = 3 * (size.micro_batches + size.devices - 1);
    ASSERT_EQ(*ticks, bound) << size.name()
                             << "with forwards of 1 and backwards of 2 ticks "
                             << "your step takes " << *ticks << ", and GPipe takes "
                             << bound << ". Re-read chapter 10, \"What it costs\".";
  }
}

TEST(GPipeRow, TakesNotATickMoreThanItMust) {
  POINTS(1);
  expect_ticks(kSizes);
}

/// A linear model with a squared error on ragged micro-batches: no two numbers alike.
struct Batch {
  std::vector<std::int32_t> rows;  ///< of each micro-batch
  std::int32_t first_row = 0;      ///< where they begin in the data

  std::string name() const {
    std::string text = "Micro-batches of ";
    for (const std::int32_t count : rows) text += std::to_string(count) + " ";
    return text + "rows: ";
  }

  /// The gradient of the mean loss over rows [begin, end) of the batch.
  static std::vector<double> mean_gradient(std::int32_t begin, std::int32_t end) {
    const std::vector<double> weights = {0.75, -1.5, 0.25};
    std::vector<double> gradient(weights.size(), 0);
    for (std::int32_t r = begin; r < end; ++r) {
      std::vector<double> x;
      x.reserve(weights.size());
      for (int i = 0; i < 3; ++i)
        x.push_back(std::sin(1.0 + 3 * r + 1.7 * i) + 0.1 * r);
      const double target = std::cos(2.0 * r) - 0.3 * r;
      const double error =
          std::inner_product(x.begin(), x.end(), weights.begin(), -target);
      for (std::size_t i = 0; i < x.size(); ++i) {
        gradient[i] += 2 * error * x[i] / (end - begin);
      }
    }
    return gradient;
  }

  std::vector<std::vector<double>> gradients() const {
    std::vector<std::vector<double>> all;
    std::int32_t begin = first_row;
    for (const std::int32_t count : rows) {
      all.push_back(mean_gradient(begin, begin + count));
      begin += count;
    }
    return all;
  }

  std::vector<double> full() const {
    return mean_gradient(first_row,
                         std::accumulate(rows.begin(), rows.end(), first_row));
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    if (std::isnan(apart)) return INFINITY;
    most = std::max(most, apart);
  }
  return most;
}

/// What a wrong gradient looks like, as far as it can be told.
std::string diagnosis(const Batch& batch, const std::vector<double>& answer) {
  const auto gradients = batch.gradients();
  std::vector<double> sum(gradients.front().size(), 0);
  for (const auto& gradient : gradients) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
  }
  std::vector<double> mean = sum;
  for (double& value : mean) value /= static_cast<double>(gradients.size());
  if (distance(answer, sum) < 1e-9) return "It is the sum of the means: too large.";
  if (distance(answer, mean) < 1e-9) {
    return "It is the mean of the means: right only when all have as many rows.";
  }
  if (distance(answer, gradients.back()) < 1e-9) {
    return "It is that of the last micro-batch alone: were the others cleared?";
  }
  return "Each micro-batch counts by its share of the rows, the last one too.";
}

void expect_full_gradient(const std::vector<Batch>& batches) {
  for (const Batch& batch : batches) {
    const std::vector<double> answer = accumulate(batch.gradients(), batch.rows);
    ASSERT_LT(distance(answer, batch.full()), 1e-9)
        << batch.name() << "the full batch's gradient is "
        << testing::PrintToString(batch.full()) << ", yours is "
        << testing::PrintToString(answer) << ". " << diagnosis(batch, answer)
        << " Re-read chapter 10, \"Equal to the full batch\".";
  }
}

TEST(Accumulate, EqualsTheFullBatchWhenMicroBatchesAreEqual) {
  POINTS(1);
  expect_full_gradient({{{4}}, {{3, 3}}, {{2, 2, 2, 2}}, {{1, 1, 1, 1, 1}}});
}

TEST(Accumulate, EqualsTheFullBatchWhenTheyAreRagged) {
  POINTS(2);
  expect_full_gradient({{{3, 3, 2}}, {{3, 3, 2, 2}}, {{5, 1}}, {{1, 4, 2, 7, 3}}});
}

/// How many devices, and how much of the step may be idle.
struct Bubble {
  std::int32_t devices = 1;
  std::int32_t percent = 1;
};

void expect_fewest(const std::vector<Bubble>& bubbles) {
  for (const auto& [p, percent] : bubbles) {
    std::int32_t fewest = 1;
    while (100 * (p - 1) > percent * (fewest + p - 1)) ++fewest;
    ASSERT_EQ(micro_batches_needed(p, percent), fewest)
        << "On " << p << " devices " << fewest << " is the fewest for which at most "
        << percent << " % of the step is idle. Re-read chapter 10, \"What it costs\".";
  }
}

TEST(MicroBatchesNeeded, AreTheFewestThatKeepTheBubbleSmall) {
  POINTS(1);
  std::vector<Bubble> all;
  for (std::int32_t p = 1; p <= 16; ++p) {
    for (const std::int32_t percent : {1, 10, 20, 33, 50, 99})
      all.push_back({p, percent});
  }
  expect_fewest(all);
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(GPipeRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  const auto sizes = draw_sizes(draw, 8, {2, 2}, {24, 60});
  expect_each_once(sizes);
  expect_forwards_first(sizes);
  expect_backwards_in_order(sizes);
  expect_ticks(sizes);
}

TEST(Accumulate, HoldsForDrawnMicroBatchesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Batch> batches;
  for (int i = 0; i < 12; ++i) {
    Batch batch{{1, 2}, draw.between(1, 40)};  // ragged whatever else is drawn
    const std::int32_t more = draw.between(1, 10);
    for (std::int32_t k = 0; k < more; ++k) batch.rows.push_back(draw.between(1, 6));
    batches.push_back(batch);
  }
  expect_full_gradient(batches);
}

TEST(MicroBatchesNeeded, HoldForDrawnBubblesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Bubble> bubbles;
  bubbles.reserve(40);
  for (int i = 0; i < 40; ++i)
    bubbles.push_back({draw.between(2, 64), draw.between(1, 99)});
  expect_fewest(bubbles);
}

}  // namespace
}  // namespace pipeline
