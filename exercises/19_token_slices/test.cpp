#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

using Times = std::vector<std::vector<double>>;

/// How many tokens, and how many slices of them.
struct Cut {
  std::int32_t tokens = 1;
  std::int32_t slices = 1;
};

void expect_equal(const std::vector<Cut>& cuts) {
  for (const auto& [tokens, count] : cuts) {
    const std::vector<std::int32_t> lengths = equal_slices(tokens, count);
    const std::string asked = std::to_string(tokens) + " tokens in " +
                              std::to_string(count) + " slices: you cut " +
                              listed(lengths) + ". ";
    ASSERT_EQ(lengths.size(), static_cast<std::size_t>(count)) << asked;
    ASSERT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), tokens)
        << asked
        << "No token may be left over, and none invented: what the division "
           "leaves goes one each to the first slices.";
    ASSERT_LE(std::int64_t{lengths.front()} - lengths.back(), 1)
        << asked << "No two may differ by more than one token.";
    ASSERT_TRUE(std::is_sorted(lengths.rbegin(), lengths.rend()))
        << asked << "The longer ones come first.";
  }
}

TEST(EqualSlices, HoldEveryTokenAndDifferByOneAtMost) {
  POINTS(1);
  std::vector<Cut> cuts;
  for (const std::int32_t tokens : {1, 2, 7, 10, 16}) {
    for (std::int32_t count = 1; count <= tokens; ++count)
      cuts.push_back({tokens, count});
  }
  expect_equal(cuts);
}

// --- The time of a pipeline

/// The time as a simulation finds it: parts are micro-batches that weigh differently.
double simulated(const std::vector<double>& parts, std::int32_t devices) {
  const auto count = static_cast<std::int32_t>(parts.size());
  std::vector<Row> rows;
  for (std::int32_t s = 0; s < devices; ++s) {
    Row row;
    for (std::int32_t k = 0; k < count; ++k) row.push_back(forward_of(s, k));
    rows.push_back(row);
  }
  const Schedule schedule = one_step("parts", rows, count, /*training=*/false);
  Costs costs;
  costs.part_weights = parts;
  const auto timeline = simulate(schedule, costs);
  return timeline ? measure(schedule, *timeline).makespan : -1;
}

void expect_time(const std::vector<std::vector<double>>& all,
                 const std::vector<std::int32_t>& numbers_of_devices) {
  for (const std::vector<double>& parts : all) {
    for (const std::int32_t devices : numbers_of_devices) {
      const double expected = simulated(parts, devices);
      ASSERT_DOUBLE_EQ(pipeline_time(parts, devices), expected)
          << "Parts of " << testing::PrintToString(parts) << " ticks on " << devices
          << " devices take " << expected << " ticks, you say "
          << pipeline_time(parts, devices)
          << ". One device takes their sum; each further one adds the longest, "
             "wherever "
             "it stands. Re-read chapter 19, \"The sum and the longest\".";
    }
  }
}

TEST(PipelineTime, IsWhenTheLastPartHasLeftTheLastDevice) {
  POINTS(2);
  expect_time({{3}, {1, 2, 4}, {4, 2, 1}, {2, 5, 1, 3}, {1.5, 0.25, 2, 0.5, 2}},
              {1, 2, 3, 8});
}

// --- The rows

struct Step {
  std::int32_t devices;
  std::vector<std::int32_t> slices;

  std::string name() const {
    return std::to_string(devices) + " devices, micro-batches in " + listed(slices) +
           " slices: ";
  }
};

const std::vector<Step> kSteps = {{1, {1}},       {1, {4}},    {2, {3, 3}},
                                  {3, {2, 1, 4}}, {4, {5, 2}}, {5, {1, 3, 2, 2}}};

Schedule student_schedule(const Step& step) {
  std::vector<Row> rows;
  rows.reserve(static_cast<std::size_t>(step.devices));
  for (std::int32_t s = 0; s < step.devices; ++s) {
    rows.push_back(token_slice_row(s, step.slices));
  }
  Schedule schedule =
      one_step("token-slices", rows, static_cast<std::int32_t>(step.slices.size()),
               /*training=*/true);
  schedule.slices = step.slices;
  return schedule;
}

std::vector<std::vector<std::int32_t>> slices_of(const Row& row, ActionKind kind,
                                                 std::size_t micro_batches) {
  std::vector<std::vector<std::int32_t>> slices(micro_batches);
  for (const Entry& entry : row) {
    const auto k = static_cast<std::size_t>(entry.action.micro_batch);
    if (entry.action.kind == kind && k < micro_batches) {
      slices[k].push_back(entry.action.slice);
    }
  }
  return slices;
}

void expect_every_slice(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    for (std::int32_t s = 0; s < step.devices; ++s) {
      const Row row = token_slice_row(s, step.slices);
      for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
        auto slices = slices_of(row, kind, step.slices.size());
        for (std::size_t k = 0; k < slices.size(); ++k) {
          std::sort(slices[k].begin(), slices[k].end());
          ASSERT_EQ(slices[k], first_to_last(step.slices[k]))
              << step.name() << "stage " << s << " does " << in_words(row)
              << ". Micro-batch " << k << " is cut into " << step.slices[k]
              << " slices, each of which runs once "
              << (kind == ActionKind::Forward ? "forward" : "backward")
              << ". Re-read chapter 19, \"What depends on what\".";
        }
      }
    }
  }
}

TEST(TokenSliceRow, RunsEverySliceOnceForwardAndBackward) {
  POINTS(1);
  expect_every_slice(kSteps);
}

void expect_slices_reversed(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const Row row = token_slice_row(0, step.slices);
    for (const auto& slices :
         slices_of(row, ActionKind::Backward, step.slices.size())) {
      ASSERT_TRUE(!slices.empty() && std::is_sorted(slices.rbegin(), slices.rend()))
          << step.name() << "stage 0 does " << in_words(row)
          << ": the gradient of a token comes from those that attended to it, which "
             "stand behind it; so the last slice goes back first. Re-read chapter 19, "
             "\"What depends on what\".";
    }
  }
}

TEST(TokenSliceRow, TakesTheSlicesOfAMicroBatchBackFromTheLast) {
  POINTS(1);
  expect_slices_reversed(kSteps);
}

void expect_micro_batches_in_order(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const Row row = token_slice_row(0, step.slices);
    const std::vector<std::int32_t> order = order_of(row, ActionKind::Backward);
    ASSERT_TRUE(!order.empty() && std::is_sorted(order.begin(), order.end()))
        << step.name() << "stage 0 does " << in_words(row)
        << ": gradients add up in the order of the micro-batches; only inside one are "
           "the slices reversed. Re-read chapter 19, \"What depends on what\".";
  }
}

TEST(TokenSliceRow, TakesTheMicroBatchesBackInOrder) {
  POINTS(1);
  expect_micro_batches_in_order(kSteps);
}

void expect_ticks(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const Schedule schedule = student_schedule(step);
    ASSERT_EQ(first_fault(schedule), "") << step.name();
    const auto ticks = ticks_of(schedule);
    ASSERT_TRUE(ticks.has_value()) << step.name() << ticks.error().what;
    const std::int32_t parts =
        std::accumulate(step.slices.begin(), step.slices.end(), 0);
    const std::int32_t bound = 3 * (parts + step.devices - 1);
    ASSERT_EQ(*ticks, bound) << step.name() << "with slices of 1 tick your step takes "
                             << *ticks << ", where it need not take more than " << bound
                             << ".";
  }
}

TEST(TokenSliceRow, MakesAStepThatRunsInTheTimeOfTheParts) {
  POINTS(1);
  expect_ticks(kSteps);
}

// --- The best slices

/// Tables in which no two times are alike, for sequences of different lengths.
std::vector<Times> tables() {
  std::vector<Times> all;
  for (const std::size_t tokens : {1U, 2U, 5U, 8U, 10U}) {
    Times time(tokens);
    for (std::size_t c = 0; c < tokens; ++c) {
      for (std::size_t l = 1; l <= tokens - c; ++l) {
        const std::size_t pairs = l * c + l * (l + 1) / 2;
        time[c].push_back(2 + static_cast<double>(l) + static_cast<double>(pairs) / 4 +
                          static_cast<double>((7 * c + 3 * l) % 5) / 8);
      }
    }
    all.push_back(time);
  }
  return all;
}

std::vector<double> parts_of(const std::vector<std::int32_t>& lengths,
                             const Times& time) {
  std::vector<double> parts;
  std::size_t before = 0;
  for (const std::int32_t length : lengths) {
    parts.push_back(time[before][static_cast<std::size_t>(length) - 1]);
    before += static_cast<std::size_t>(length);
  }
  return parts;
}

/// Not the student's `pipeline_time`.
double true_time(const std::vector<double>& parts, std::int32_t devices) {
  return std::accumulate(parts.begin(), parts.end(), 0.0) +
         (devices - 1) * *std::max_element(parts.begin(), parts.end());
}

/// Every way to cut, tried: bit i says whether there is a cut behind token i.
double least_time(const Times& time, std::int32_t devices) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t cuts = 0; cuts < (std::size_t{1} << (time.size() - 1)); ++cuts) {
    std::vector<std::int32_t> lengths = {1};
    for (std::size_t i = 0; i + 1 < time.size(); ++i) {
      if ((cuts >> i & 1U) != 0) {
        lengths.push_back(1);
      } else {
        ++lengths.back();
      }
    }
    least = std::min(least, true_time(parts_of(lengths, time), devices));
  }
  return least;
}

bool cover(const std::vector<std::int32_t>& lengths, std::size_t tokens) {
  std::int64_t sum = 0;
  for (const std::int32_t length : lengths) {
    if (length < 1) return false;
    sum += length;
  }
  return sum == static_cast<std::int64_t>(tokens);
}

void expect_covered(const std::vector<Times>& all,
                    const std::vector<std::int32_t>& numbers_of_devices) {
  for (const Times& time : all) {
    for (const std::int32_t devices : numbers_of_devices) {
      const std::vector<std::int32_t> lengths = best_slices(time, devices);
      ASSERT_TRUE(cover(lengths, time.size()))
          << "A sequence of " << time.size() << " tokens: you cut " << listed(lengths)
          << ". The slices must hold every token once, from the first to the last.";
    }
  }
}

TEST(BestSlices, CoverTheSequence) {
  POINTS(1);
  expect_covered(tables(), {1, 3, 6});
}

void expect_least_time(const std::vector<Times>& all,
                       const std::vector<std::int32_t>& numbers_of_devices) {
  for (const Times& time : all) {
    for (const std::int32_t devices : numbers_of_devices) {
      const std::vector<std::int32_t> lengths = best_slices(time, devices);
      ASSERT_TRUE(cover(lengths, time.size())) << listed(lengths);
      const double yours = true_time(parts_of(lengths, time), devices);
      const double least = least_time(time, devices);
      ASSERT_NEAR(yours, least, 1e-9)
          << "A sequence of " << time.size() << " tokens on " << devices
          << " devices: your slices of " << listed(lengths) << " take " << yours
          << " ticks, and the best take " << least
          << ". A slice costs what it costs behind the tokens before it, and the "
             "longest one counts p-1 times more: try every time that it may have. "
             "Re-read chapter 19, \"The best slices\".";
    }
  }
}

TEST(BestSlices, TakeTheLeastTimeOfAllThereAre) {
  POINTS(3);
  expect_least_time(tables(), {1, 2, 3, 6, 16});
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(EqualSlices, HoldForDrawnSequencesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Cut> cuts;
  for (int i = 0; i < 60; ++i) {
    const std::int32_t tokens = draw.between(17, 300);
    cuts.push_back({tokens, draw.between(2, tokens)});
  }
  expect_equal(cuts);
}

TEST(PipelineTime, HoldsForDrawnPartsToo) {
  POINTS(1);
  Draw draw;
  std::vector<std::vector<double>> all;
  all.reserve(10);
  for (int i = 0; i < 10; ++i) all.push_back(draw.quarters(draw.between(3, 12), 1, 9));
  expect_time(all, {draw.between(2, 7), draw.between(9, 20)});
}

TEST(TokenSliceRow, HoldsForDrawnStepsToo) {
  POINTS(1);
  Draw draw;
  std::vector<Step> steps;
  for (int i = 0; i < 6; ++i) {
    Step step{draw.between(2, 8), {2, 3}};  // not all alike
    const std::int32_t more = draw.between(1, 8);
    for (std::int32_t k = 0; k < more; ++k) step.slices.push_back(draw.between(1, 6));
    steps.push_back(step);
  }
  expect_every_slice(steps);
  expect_slices_reversed(steps);
  expect_micro_batches_in_order(steps);
  expect_ticks(steps);
}

/// Times that grow with the slice and with what is before it, and are not smooth.
std::vector<Times> drawn_tables(Draw& draw) {
  std::vector<Times> all;
  for (int i = 0; i < 12; ++i) {
    const auto tokens = static_cast<std::size_t>(draw.between(6, 11));
    Times time(tokens);
    for (std::size_t c = 0; c < tokens; ++c) {
      for (std::size_t l = 1; l <= tokens - c; ++l) {
        const std::size_t pairs = l * c + l * (l + 1) / 2;
        time[c].push_back(static_cast<double>(l) + static_cast<double>(pairs) / 4 +
                          draw.quarters(1, 4));
      }
    }
    all.push_back(time);
  }
  return all;
}

TEST(BestSlices, HoldForDrawnTimesToo) {
  POINTS(1);
  Draw draw;
  const std::vector<Times> all = drawn_tables(draw);
  expect_least_time(all, {2, draw.between(3, 5), draw.between(7, 15)});
}

}  // namespace
}  // namespace pipeline
