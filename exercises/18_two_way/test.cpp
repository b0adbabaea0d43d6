#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

const std::vector<std::int32_t> kDevices = {2, 4, 6, 10};

void expect_stages(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    for (std::int32_t d = 0; d < p; ++d) {
      ASSERT_EQ(stage_of(d, p, 0), d)
          << "Micro-batches of copy 0 go down: device " << d << " holds stage " << d
          << ". Re-read chapter 18, \"Two copies\".";
      ASSERT_EQ(stage_of(d, p, 1), p - 1 - d)
          << "Micro-batches of copy 1 enter at device " << p - 1 << " and go up: of "
          << p << " devices, device " << d << " holds their stage " << p - 1 - d
          << ". Re-read chapter 18, \"Two copies\".";
    }
  }
}

TEST(StageOf, RunsDownTheDevicesAndUp) {
  POINTS(1);
  expect_stages(kDevices);
}

// --- The gradient

/// Numbers of very different size, so that every order of adding has its own rounding.
std::vector<std::vector<float>> gradients_of(std::size_t micro_batches,
                                             std::size_t first) {
  std::vector<std::vector<float>> gradients;
  for (std::size_t k = 0; k < micro_batches; ++k) {
    std::vector<float> gradient;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto x = static_cast<float>(first + 7 * k + 3 * i);
      gradient.push_back(std::sin(x) * std::pow(10.0F, std::cos(2 * x) * 3));
    }
    gradients.push_back(gradient);
  }
  return gradients;
}

float sum_from(const std::vector<std::vector<float>>& gradients, std::size_t i,
               std::size_t begin, std::size_t end) {
  float sum = 0;
  for (std::size_t k = begin; k < end; ++k) sum += gradients[k][i];
  return sum;
}

void expect_sum(const std::vector<std::size_t>& micro_batches, std::size_t first) {
  for (const std::size_t m : micro_batches) {
    const auto gradients = gradients_of(m, first);
    const std::vector<float> sum = sum_of_halves(gradients);
    ASSERT_EQ(sum.size(), gradients.front().size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const float expected = sum_from(gradients, i, 0, m);
      float size = 0;
      for (const auto& gradient : gradients) size += std::abs(gradient[i]);
      ASSERT_NEAR(sum[i], expected, 1e-4 * size)
          << m << " micro-batches: the gradient is the sum over all of them, on both "
          << "copies, the odd one too. Re-read chapter 18, \"Two copies\".";
    }
  }
}

TEST(SumOfHalves, IsThatOfAllMicroBatches) {
  POINTS(1);
  expect_sum({2, 3, 6, 9}, 1);
}

void expect_halves(const std::vector<std::size_t>& micro_batches, std::size_t first) {
  std::size_t differ = 0;
  for (const std::size_t m : micro_batches) {
    const auto gradients = gradients_of(m, first);
    const std::vector<float> sum = sum_of_halves(gradients);
    ASSERT_EQ(sum.size(), gradients.front().size());
    const std::size_t half = (m + 1) / 2;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const float expected =
          sum_from(gradients, i, 0, half) + sum_from(gradients, i, half, m);
      if (expected != sum_from(gradients, i, 0, m)) ++differ;
      ASSERT_EQ(sum[i], expected)
          << m << " micro-batches: micro-batches 0 to " << half - 1
          << " are added up on copy 0 and the others on copy 1, and their two sums "
             "then, "
             "bit for bit. Another order rounds differently. Re-read chapter 18, \"Two "
             "copies\".";
    }
  }
  ASSERT_GT(differ, 0U);
}

TEST(SumOfHalves, AddsEachHalfApart) {
  POINTS(2);
  expect_halves({4, 7, 8, 13}, 1);
}

// --- The row

Schedule student_schedule(std::int32_t devices) {
  Schedule schedule;
  schedule.name = "two-way";
  schedule.placement = two_way_placement(devices);
  schedule.micro_batches = devices;
  for (std::int32_t d = 0; d < devices; ++d) {
    schedule.rows.push_back(two_way_row(d, devices));
  }
  append_updates(schedule, 0, /*global_norm=*/false);
  return schedule;
}

void expect_rows_that_run(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    const Schedule schedule = student_schedule(p);
    ASSERT_EQ(first_fault(schedule), "")
        << p << " devices: device 0 does "
        << in_words(as_written(schedule.rows[0]), /*with_stages=*/true)
        << ". Of both its stages it runs the p/2 micro-batches of that way, each once "
           "forward and once backward. Re-read chapter 18, \"Chimera\".";
  }
}

TEST(TwoWayRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  expect_rows_that_run(kDevices);
}

void expect_each_way_in_order(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    for (std::int32_t d = 0; d < p; ++d) {
      const Row row = two_way_row(d, p);
      ASSERT_EQ(row.size(), static_cast<std::size_t>(2 * p))
          << in_words(row, /*with_stages=*/true);
      std::int32_t down = -1;
      std::int32_t up = -1;
      for (const std::int32_t k : order_of(row, ActionKind::Backward)) {
        std::int32_t& last = k < p / 2 ? down : up;
        ASSERT_GT(k, last) << p << " devices: device " << d << " does "
                           << in_words(row, /*with_stages=*/true)
                           << ". The gradients of each copy add up in the order of its "
                              "micro-batches. Re-read chapter 18, \"Two copies\".";
        last = k;
      }
    }
  }
}

TEST(TwoWayRow, TakesEachWayBackInOrder) {
  POINTS(1);
  expect_each_way_in_order(kDevices);
}

void expect_filled_bubbles(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    const Schedule schedule = student_schedule(p);
    Costs costs;
    costs.stages.front() = {.forward = 1, .input_gradient = 1, .weight_gradient = 0};
    const auto timeline = simulate(schedule, costs);
    ASSERT_TRUE(timeline.has_value()) << timeline.error().what;
    const double ticks = measure(schedule, *timeline).makespan;
    ASSERT_EQ(ticks, 3 * p - 2)
        << p << " devices: with forwards and backwards of 1 tick your step takes "
        << ticks << ", and Chimera takes " << 3 * p - 2 << ", of which only " << p - 2
        << " are idle: where one way waits, the other works. Re-read chapter 18, "
           "\"Chimera\".";
  }
}

TEST(TwoWayRow, FillsTheBubblesOfOneWayWithTheOther) {
  POINTS(3);
  expect_filled_bubbles(kDevices);
}

void expect_held(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    for (std::int32_t d = 0; d < p; ++d) {
      const Row row = two_way_row(d, p);
      std::int32_t held = 0;
      std::int32_t most = 0;
      for (const Entry& entry : row) {
        held += entry.action.kind == ActionKind::Forward ? 1 : -1;
        most = std::max(most, held);
      }
      const std::int32_t bound = p / 2 + 1 + std::min(d, p - 1 - d);
      ASSERT_EQ(most, bound) << p << " devices: device " << d << " does "
                             << in_words(row, /*with_stages=*/true) << " and so holds "
                             << most << " activations at once, where Chimera holds "
                             << bound << ". Re-read chapter 18, \"Chimera\".";
    }
  }
}

TEST(TwoWayRow, HoldsLittleMoreThanHalfAPipeline) {
  POINTS(1);
  expect_held(kDevices);
}

// --- DualPipe

/// A forward as long as an input gradient, a weight gradient no longer, and pairs that
/// overlap fully, in part, or not at all.
std::vector<StageCosts> costs_to_try() {
  std::vector<StageCosts> all;
  for (const double fb : {3.0, 2.5, 2.25}) {
    all.push_back(
        {.forward = 1, .input_gradient = 1, .weight_gradient = 1, .overlapped = fb});
  }
  all.push_back(
      {.forward = 4, .input_gradient = 4, .weight_gradient = 3, .overlapped = 8.5});
  return all;
}

Metrics simulated(std::int32_t p, std::int32_t m, const StageCosts& stage) {
  Costs costs;
  costs.stages.front() = stage;
  const auto schedule = dual_pipe({p, m});
  return measure(*schedule, *simulate(*schedule, costs));
}

std::string case_name(std::int32_t p, std::int32_t m, const StageCosts& stage) {
  return std::to_string(p) + " devices, " + std::to_string(m) +
         " micro-batches, F=" + testing::PrintToString(stage.forward) +
         " B=" + testing::PrintToString(stage.backward()) +
         " W=" + testing::PrintToString(stage.weight_gradient) +
         " FB=" + testing::PrintToString(stage.overlapped) + ": ";
}

void expect_bubble(const std::vector<StageCosts>& costs,
                   const std::vector<std::int32_t>& devices) {
  for (const StageCosts& stage : costs) {
    for (const std::int32_t p : devices) {
      const Metrics seen = simulated(p, 2 * p, stage);
      const double idle = seen.makespan - seen.busy[static_cast<std::size_t>(p / 2)];
      ASSERT_NEAR(dualpipe_bubble(p, stage), idle, 1e-9)
          << case_name(p, 2 * p, stage) << "a device in the middle idles for " << idle
          << ", you say " << dualpipe_bubble(p, stage)
          << ". Each way has p/2-1 devices to fill, and a pair is FB long. Re-read "
             "chapter 18, \"DualPipe\".";
    }
  }
}

TEST(DualPipeBubble, IsThatOfHalfTheDevices) {
  POINTS(1);
  expect_bubble(costs_to_try(), {2, 4, 8});
}

void expect_step(const std::vector<StageCosts>& costs,
                 const std::vector<PipelineSize>& sizes) {
  for (const StageCosts& stage : costs) {
    for (const auto& [p, m] : sizes) {
      const double ticks = simulated(p, m, stage).makespan;
      ASSERT_NEAR(dualpipe_step(p, m, stage), ticks, 1e-9)
          << case_name(p, m, stage) << "the step takes " << ticks << ", you say "
          << dualpipe_step(p, m, stage)
          << ". A device in the middle runs all micro-batches, of which m-p-1 "
             "forwards stand beside a backward, and idles for its bubble. Re-read "
             "chapter 18, \"DualPipe\".";
    }
  }
}

TEST(DualPipeStep, GetsShorterByWhatEachPairSaves) {
  POINTS(2);
  std::vector<PipelineSize> sizes;
  for (const std::int32_t p : {2, 4, 8}) {
    for (const std::int32_t m : {2 * p, 2 * p + 2, 4 * p}) sizes.push_back({p, m});
  }
  expect_step(costs_to_try(), sizes);
}

// --- Drawn inputs: see classroom/draw.hpp

std::vector<std::int32_t> drawn_devices() {
  Draw draw;
  return {2 * draw.between(3, 7), 2 * draw.between(8, 12)};
}

TEST(StageOf, HoldsForDrawnDevicesToo) {
  POINTS(1);
  expect_stages(drawn_devices());
}

TEST(SumOfHalves, HoldsForDrawnGradientsToo) {
  POINTS(1);
  Draw draw;
  const auto number = [&draw](std::int32_t least, std::int32_t most) {
    return static_cast<std::size_t>(draw.between(least, most));
  };
  const std::vector<std::size_t> micro_batches = {number(5, 12), number(13, 24)};
  const std::size_t first = number(2, 900);
  expect_sum(micro_batches, first);
  expect_halves(micro_batches, first);
}

TEST(TwoWayRow, HoldsForDrawnDevicesToo) {
  POINTS(1);
  const std::vector<std::int32_t> devices = drawn_devices();
  expect_rows_that_run(devices);
  expect_each_way_in_order(devices);
  expect_filled_bubbles(devices);
  expect_held(devices);
}

/// As in `costs_to_try`.
std::vector<StageCosts> drawn_costs(Draw& draw) {
  std::vector<StageCosts> all;
  for (int i = 0; i < 4; ++i) {
    const std::int32_t forward = draw.between(2, 6);
    StageCosts stage;
    stage.forward = stage.input_gradient = forward;
    stage.weight_gradient = draw.quarters(1, forward);
    stage.overlapped = stage.backward() + draw.quarters(1, forward);
    all.push_back(stage);
  }
  return all;
}

TEST(DualPipeBubble, HoldsForDrawnCostsToo) {
  POINTS(1);
  Draw draw;
  expect_bubble(drawn_costs(draw), {2 * draw.between(2, 8)});
}

TEST(DualPipeStep, HoldsForDrawnCostsToo) {
  POINTS(1);
  Draw draw;
  const std::int32_t half = draw.between(2, 8);
  expect_step(drawn_costs(draw), {{2 * half, 4 * half + 2 * draw.between(0, 9)}});
}

}  // namespace
}  // namespace pipeline
