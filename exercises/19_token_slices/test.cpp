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

std::string in_words(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (const std::int32_t number : numbers) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  return text.empty() ? "(nothing)" : text;
}

TEST(EqualSlices, HoldEveryTokenAndDifferByOneAtMost) {
  POINTS(1);
  for (const std::int32_t tokens : {1, 2, 7, 10, 16}) {
    for (std::int32_t count = 1; count <= tokens; ++count) {
      const std::vector<std::int32_t> lengths = equal_slices(tokens, count);
      const std::string asked = std::to_string(tokens) + " tokens in " +
                                std::to_string(count) + " slices: you cut " +
                                in_words(lengths) + ". ";
      ASSERT_EQ(lengths.size(), static_cast<std::size_t>(count)) << asked;
      ASSERT_EQ(std::accumulate(lengths.begin(), lengths.end(), 0), tokens)
          << asked
          << "No token may be left over, and none invented: what the division "
             "leaves goes one each to the first slices.";
      ASSERT_LE(lengths.front() - lengths.back(), 1)
          << asked << "No two may differ by more than one token.";
      ASSERT_TRUE(std::is_sorted(lengths.rbegin(), lengths.rend()))
          << asked << "The longer ones come first.";
    }
  }
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

TEST(PipelineTime, IsWhenTheLastPartHasLeftTheLastDevice) {
  POINTS(2);
  const std::vector<std::vector<double>> all = {
      {3}, {1, 2, 4}, {4, 2, 1}, {2, 5, 1, 3}, {1.5, 0.25, 2, 0.5, 2}};
  for (const std::vector<double>& parts : all) {
    for (const std::int32_t devices : {1, 2, 3, 8}) {
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

// --- The rows

struct Step {
  std::int32_t devices;
  std::vector<std::int32_t> slices;

  std::string name() const {
    return std::to_string(devices) + " devices, micro-batches in " + in_words(slices) +
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

TEST(TokenSliceRow, RunsEverySliceOnceForwardAndBackward) {
  POINTS(1);
  for (const Step& step : kSteps) {
    for (std::int32_t s = 0; s < step.devices; ++s) {
      const Row row = token_slice_row(s, step.slices);
      for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
        auto slices = slices_of(row, kind, step.slices.size());
        for (std::size_t k = 0; k < slices.size(); ++k) {
          std::sort(slices[k].begin(), slices[k].end());
          ASSERT_EQ(slices[k], first_to_last(step.slices[k]))
              << step.name() << "stage " << s << " does " << row_in_words(row)
              << ". Micro-batch " << k << " is cut into " << step.slices[k]
              << " slices, each of which runs once "
              << (kind == ActionKind::Forward ? "forward" : "backward")
              << ". Re-read chapter 19, \"What depends on what\".";
        }
      }
    }
  }
}

TEST(TokenSliceRow, TakesTheSlicesOfAMicroBatchBackFromTheLast) {
  POINTS(1);
  for (const Step& step : kSteps) {
    const Row row = token_slice_row(0, step.slices);
    for (const auto& slices :
         slices_of(row, ActionKind::Backward, step.slices.size())) {
      ASSERT_TRUE(!slices.empty() && std::is_sorted(slices.rbegin(), slices.rend()))
          << step.name() << "stage 0 does " << row_in_words(row)
          << ": the gradient of a token comes from those that attended to it, which "
             "stand behind it; so the last slice goes back first. Re-read chapter 19, "
             "\"What depends on what\".";
    }
  }
}

TEST(TokenSliceRow, TakesTheMicroBatchesBackInOrder) {
  POINTS(1);
  for (const Step& step : kSteps) {
    const Row row = token_slice_row(0, step.slices);
    const std::vector<std::int32_t> order = order_of(row, ActionKind::Backward);
    ASSERT_TRUE(!order.empty() && std::is_sorted(order.begin(), order.end()))
        << step.name() << "stage 0 does " << row_in_words(row)
        << ": gradients add up in the order of the micro-batches; only inside one are "
           "the slices reversed. Re-read chapter 19, \"What depends on what\".";
  }
}

TEST(TokenSliceRow, MakesAStepThatRunsInTheTimeOfTheParts) {
  POINTS(1);
  for (const Step& step : kSteps) {
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

TEST(BestSlices, CoverTheSequence) {
  POINTS(1);
  for (const Times& time : tables()) {
    for (const std::int32_t devices : {1, 3, 6}) {
      const std::vector<std::int32_t> lengths = best_slices(time, devices);
      ASSERT_TRUE(cover(lengths, time.size()))
          << "A sequence of " << time.size() << " tokens: you cut " << in_words(lengths)
          << ". The slices must hold every token once, from the first to the last.";
    }
  }
}

TEST(BestSlices, TakeTheLeastTimeOfAllThereAre) {
  POINTS(3);
  for (const Times& time : tables()) {
    for (const std::int32_t devices : {1, 2, 3, 6, 16}) {
      const std::vector<std::int32_t> lengths = best_slices(time, devices);
      ASSERT_TRUE(cover(lengths, time.size())) << in_words(lengths);
      const double yours = true_time(parts_of(lengths, time), devices);
      const double least = least_time(time, devices);
      ASSERT_NEAR(yours, least, 1e-9)
          << "A sequence of " << time.size() << " tokens on " << devices
          << " devices: your slices of " << in_words(lengths) << " take " << yours
          << " ticks, and the best take " << least
          << ". A slice costs what it costs behind the tokens before it, and the "
             "longest one counts p-1 times more: try every time that it may have. "
             "Re-read chapter 19, \"The best slices\".";
    }
  }
}

}  // namespace
}  // namespace pipeline
