#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "classroom/test_words.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

struct Cut {
  std::int32_t rows = 1;
  std::int32_t micro_batches = 1;
};

/// Up to 24 rows.
std::vector<Cut> all_cuts() {
  std::vector<Cut> all;
  for (std::int32_t rows = 1; rows <= 24; ++rows) {
    for (std::int32_t m = 1; m <= rows; ++m) all.push_back({rows, m});
  }
  return all;
}

void expect_all_rows(const std::vector<Cut>& cuts) {
  for (const auto& [rows, m] : cuts) {
    const std::vector<std::int32_t> parts = micro_batch_rows(rows, m);
    const std::string got = std::to_string(rows) + " rows in " + std::to_string(m) +
                            " micro-batches became " + listed(parts) + ": ";
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(m))
        << got << "there must be as many as were asked for. Re-read chapter 11, "
        << "\"Ragged micro-batches\".";
    ASSERT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), rows)
        << got << "every row belongs to one of them. Re-read chapter 11, \"Ragged "
        << "micro-batches\".";
  }
}

TEST(MicroBatchRows, HoldAllRowsOnce) {
  POINTS(1);
  expect_all_rows(all_cuts());
}

void expect_even(const std::vector<Cut>& cuts) {
  for (const auto& [rows, m] : cuts) {
    const std::vector<std::int32_t> parts = micro_batch_rows(rows, m);
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(m));
    const std::string got = std::to_string(rows) + " rows in " + std::to_string(m) +
                            " micro-batches became " + listed(parts) + ": ";
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::int32_t expected =
          rows / m + (static_cast<std::int32_t>(k) < rows % m ? 1 : 0);
      ASSERT_EQ(parts[k], expected)
          << got << "micro-batch " << k << " gets " << expected
          << ", so that none takes longer than another by more than a row. Re-read "
             "chapter 11, \"Ragged micro-batches\".";
    }
  }
}

TEST(MicroBatchRows, DifferByOneAtMostTheLongerOnesFirst) {
  POINTS(1);
  expect_even(all_cuts());
}

struct Losses {
  std::vector<double> losses;  ///< of the rows
  std::vector<std::int32_t> rows;
};

void expect_mean_over_rows(const std::vector<Losses>& all_losses) {
  for (const Losses& c : all_losses) {
    std::vector<double> means;
    std::size_t first = 0;
    for (const std::int32_t count : c.rows) {
      const auto begin = c.losses.begin() + static_cast<std::ptrdiff_t>(first);
      means.push_back(std::accumulate(begin, begin + count, 0.0) / count);
      first += static_cast<std::size_t>(count);
    }
    const double all = std::accumulate(c.losses.begin(), c.losses.end(), 0.0) /
                       static_cast<double>(c.losses.size());
    const double plain = std::accumulate(means.begin(), means.end(), 0.0) /
                         static_cast<double>(means.size());
    const double answer = batch_loss(means, c.rows);
    ASSERT_NEAR(answer, all, 1e-12)
        << "Micro-batches of " << listed(c.rows) << " rows: the mean over all rows is "
        << all << ", yours is " << answer << ". "
        << (std::abs(answer - plain) < 1e-12
                ? "It is the mean of the means: a row of a short micro-batch counts "
                  "more "
                  "than one of a long one."
                : "Each micro-batch counts by its share of the rows.")
        << " Re-read chapter 11, \"Ragged micro-batches\".";
  }
}

TEST(BatchLoss, IsTheMeanOverAllRows) {
  POINTS(1);
  expect_mean_over_rows({{{2.5, 0.5, 4, 1}, {2, 2}},
                         {{2.5, 0.5, 4, 1, 7.25, 3}, {4, 1, 1}},
                         {{6, 0.25, 1.5, 3, 2.75, 0.5, 9}, {3, 3, 1}},
                         {{1.75}, {1}}});
}

/// Values of one channel, cut into micro-batches.
struct Channel {
  std::vector<double> values;
  std::vector<std::size_t> counts;

  static Statistics over(const std::vector<double>& values, std::size_t first,
                         std::size_t count) {
    Statistics s;
    s.count = static_cast<double>(count);
    for (std::size_t i = first; i < first + count; ++i) s.mean += values[i] / s.count;
    for (std::size_t i = first; i < first + count; ++i) {
      s.variance += (values[i] - s.mean) * (values[i] - s.mean) / s.count;
    }
    return s;
  }
  std::vector<Statistics> parts() const {
    std::vector<Statistics> all;
    std::size_t first = 0;
    for (const std::size_t count : counts) {
      all.push_back(over(values, first, count));
      first += count;
    }
    return all;
  }
  Statistics whole() const { return over(values, 0, values.size()); }
};

std::vector<Channel> channels() {
  std::vector<Channel> all;
  for (const std::vector<std::size_t>& counts :
       {std::vector<std::size_t>{6}, {4, 4}, {3, 3, 2}, {1, 1, 1, 1, 1}, {7, 1, 4}}) {
    Channel c;
    c.counts = counts;
    const std::size_t count =
        std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<double>(i);
      c.values.push_back(0.4 * at + std::sin(2.0 + 3.0 * at) - 1.5);
    }
    all.push_back(c);
  }
  return all;
}

std::string sizes_of(const Channel& channel) {
  std::string words = "Micro-batches of ";
  for (const std::size_t count : channel.counts) words += std::to_string(count) + " ";
  return words + "values: ";
}

void expect_mean(const std::vector<Channel>& all) {
  for (const Channel& channel : all) {
    const Statistics expected = channel.whole();
    const Statistics answer = whole_batch(channel.parts());
    ASSERT_NEAR(answer.count, expected.count, 1e-12)
        << sizes_of(channel) << "their counts add up.";
    ASSERT_NEAR(answer.mean, expected.mean, 1e-12)
        << sizes_of(channel) << "the mean of all is " << expected.mean << ", yours is "
        << answer.mean << ". Each micro-batch counts by its share of the values. "
        << "Re-read chapter 11, \"Deferred\".";
  }
}

TEST(WholeBatch, HasTheMeanOfAllValues) {
  POINTS(1);
  expect_mean(channels());
}

void expect_variance(const std::vector<Channel>& all) {
  for (const Channel& channel : all) {
    const Statistics expected = channel.whole();
    const Statistics answer = whole_batch(channel.parts());
    double within = 0;
    for (const Statistics& part : channel.parts()) {
      within += part.variance * part.count / expected.count;
    }
    const bool only_within =
        channel.counts.size() > 1 && std::abs(answer.variance - within) < 1e-12;
    ASSERT_NEAR(answer.variance, expected.variance, 1e-12)
        << sizes_of(channel) << "the variance of all is " << expected.variance
        << ", yours is " << answer.variance << ". "
        << (only_within ? "It is the mean of the variances: the means of the "
                          "micro-batches differ too, and that is missing."
                        : "Distances are from the mean of all values.")
        << " Re-read chapter 11, \"Deferred\".";
  }
}

TEST(WholeBatch, HasTheVarianceAroundThatMean) {
  POINTS(2);
  expect_variance(channels());
}

std::string in_words(const std::vector<Forward>& forwards) {
  std::string words;
  for (const Forward& f : forwards) {
    words += testing::PrintToString(f.mean) + (f.again ? " (again) " : " ");
  }
  return words.empty() ? "nothing" : words;
}

void expect_running(double running, const std::vector<Forward>& forwards,
                    const char* why) {
  double expected = running;
  for (const Forward& forward : forwards) {
    if (!forward.again) expected = 0.9 * expected + 0.1 * forward.mean;
  }
  const double answer = running_mean(running, forwards);
  ASSERT_NEAR(answer, expected, 1e-12)
      << "A running mean of " << running << " that sees " << in_words(forwards)
      << "becomes " << expected << ", yours is " << answer << ". " << why
      << " Re-read chapter 11, \"Running statistics\".";
}

TEST(RunningMean, MovesATenthOfTheWayAtEveryMicroBatch) {
  POINTS(1);
  const char* why =
      "Nine tenths stay, one tenth comes from the micro-batch, one after the other.";
  expect_running(2.5, {}, why);
  expect_running(2.5, {{-1.5}}, why);
  expect_running(0, {{4}, {3}}, why);
  expect_running(-3.25, {{4}, {0.5}, {-7}, {1.25}}, why);
}

TEST(RunningMean, IsNotMovedTwiceByReComputation) {
  POINTS(1);
  const char* why = "A re-computation brings nothing new: it does not count.";
  expect_running(2.5, {{-1.5}, {-1.5, true}}, why);
  expect_running(0, {{4}, {3}, {4, true}, {3, true}, {6}}, why);
  expect_running(1.75, {{9, true}}, why);
}

std::vector<std::int64_t> numbered(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST(Draws, OfTheWholeBatchAreOneForEachElement) {
  POINTS(1);
  for (const std::int32_t width : {1, 3, 5}) {
    ASSERT_EQ(draws(0, 4, width), numbered(0, std::int64_t{4} * width))
        << "4 rows of " << width << " elements take the first " << 4 * width
        << " numbers, each once. Re-read chapter 11, \"Dropout\".";
  }
}

void expect_draws(const std::vector<std::vector<std::int32_t>>& cuts,
                  std::int32_t width) {
  for (const std::vector<std::int32_t>& cut : cuts) {
    std::int32_t first_row = 0;
    for (const std::int32_t rows : cut) {
      ASSERT_EQ(draws(first_row, rows, width),
                numbered(std::int64_t{first_row} * width, std::int64_t{rows} * width))
          << "Micro-batches of " << listed(cut) << " rows: the one that begins at row "
          << first_row << " of the batch must take the numbers that the whole batch "
          << "takes for these rows, from " << first_row * width
          << " on, or each m drops other elements. Re-read chapter 11, \"Dropout\".";
      first_row += rows;
    }
  }
}

TEST(Draws, DoNotDependOnHowTheBatchIsCut) {
  POINTS(2);
  expect_draws({{4, 4}, {3, 3, 2}, {1, 6, 1}}, 3);
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(MicroBatchRows, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Cut> cuts;
  for (int i = 0; i < 60; ++i) {
    const std::int32_t rows = draw.between(25, 400);
    cuts.push_back({rows, draw.between(2, rows)});
  }
  expect_all_rows(cuts);
  expect_even(cuts);
}

/// The lengths of a few micro-batches, not all of them alike.
std::vector<std::int32_t> ragged(Draw& draw) {
  std::vector<std::int32_t> counts = {1, 2};
  const std::int32_t more = draw.between(1, 6);
  for (std::int32_t k = 0; k < more; ++k) counts.push_back(draw.between(1, 7));
  return counts;
}

TEST(BatchLoss, HoldsForDrawnLossesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Losses> all_losses;
  for (int i = 0; i < 20; ++i) {
    Losses c;
    c.rows = ragged(draw);
    c.losses = draw.quarters(std::accumulate(c.rows.begin(), c.rows.end(), 0), 1, 9);
    all_losses.push_back(c);
  }
  expect_mean_over_rows(all_losses);
}

TEST(WholeBatch, HoldsForDrawnChannelsToo) {
  POINTS(1);
  Draw draw;
  std::vector<Channel> all;
  for (int i = 0; i < 20; ++i) {
    Channel channel;
    std::int32_t values = 0;
    for (const std::int32_t count : ragged(draw)) {
      channel.counts.push_back(static_cast<std::size_t>(count));
      values += count;
    }
    channel.values = draw.quarters(values, -4, 5);
    channel.values.front() = 5.5;  // not all of them alike
    all.push_back(channel);
  }
  expect_mean(all);
  expect_variance(all);
}

TEST(RunningMean, HoldsForDrawnForwardsToo) {
  POINTS(1);
  Draw draw;
  std::vector<Forward> forwards = {{4.25}, {4.25, true}};
  for (int i = 0; i < 12; ++i)
    forwards.push_back({draw.quarters(-8, 8), draw.between(0, 2) == 0});
  expect_running(draw.quarters(5, 9), forwards, "One after the other.");
}

TEST(Draws, HoldForDrawnBatchesToo) {
  POINTS(1);
  Draw draw;
  for (int i = 0; i < 6; ++i) expect_draws({ragged(draw)}, draw.between(2, 12));
}

}  // namespace
}  // namespace pipeline
