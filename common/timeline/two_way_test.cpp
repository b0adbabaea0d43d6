// DualPipe, DualPipeV and Chimera in time and memory: the closed forms of their papers,
// and what overlapping is worth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/chimera.hpp"
#include "schedule/generate.hpp"
#include "schedule/v_schedules.hpp"
#include "schedule/verify.hpp"
#include "schedule/zero_bubble.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

Metrics time(const Expected<Schedule>& schedule, const Costs& costs) {
  if (!schedule) return {};
  const auto timeline = simulate(*schedule, costs);
  return timeline ? measure(*schedule, *timeline) : Metrics{};
}

std::string size_text(std::int32_t p, std::int32_t m) {
  return "p=" + std::to_string(p) + " m=" + std::to_string(m);
}

// F, I, W and FB.
Costs costs_of(double f, double i, double w, double fb, double transfer = 0) {
  Costs costs;
  costs.stages = {
      {.forward = f, .input_gradient = i, .weight_gradient = w, .overlapped = fb}};
  costs.within_node.latency = transfer;
  return costs;
}

// With F = I >= W, as the published bubbles assume.
const std::vector<StageCosts>& stages_to_try() {
  static const std::vector<StageCosts> stages{
      {.forward = 1, .input_gradient = 1, .weight_gradient = 1, .overlapped = 3},
      {.forward = 1, .input_gradient = 1, .weight_gradient = 1, .overlapped = 2.5},
      {.forward = 2, .input_gradient = 2, .weight_gradient = 1, .overlapped = 5},
      {.forward = 4, .input_gradient = 4, .weight_gradient = 3, .overlapped = 8.5}};
  return stages;
}

double bubble_of(const StageCosts& stage) {
  return stage.overlapped + stage.backward() - 3 * stage.weight_gradient;
}

// --- DualPipe

TEST(DualPipeTimes, MatchThePublishedExamples) {
  const auto folded = dual_pipe_v({4, 10, 1});
  ASSERT_TRUE(folded);
  const Metrics v = time(folded, costs_of(1, 1, 1, 3));
  EXPECT_EQ(v.makespan, 66);
  EXPECT_EQ(v.busy, std::vector<double>(4, 60));
  EXPECT_EQ(memory(*folded).peak_chunks, std::vector<std::int32_t>(4, 9));

  EXPECT_EQ(time(dual_pipe({8, 20, 1}), costs_of(1, 1, 1, 3)).makespan, 66);
}

TEST(DualPipeTimes, HaveTheBubbleOfTheClosedForm) {
  for (const StageCosts& stage : stages_to_try()) {
    Costs costs;
    costs.stages = {stage};
    for (const std::int32_t p : {2, 4, 6, 8}) {
      for (std::int32_t m = 2 * p; m <= 2 * p + 6; m += 2) {
        SCOPED_TRACE(size_text(p, m) + " FB=" + std::to_string(stage.overlapped));
        const Metrics metrics = time(dual_pipe({p, m, 1}), costs);
        // The devices in the middle overlap most, and so idle most.
        const auto middle = static_cast<std::size_t>(p / 2);
        const std::int32_t further = p / 2 - 1;
        EXPECT_NEAR(metrics.makespan - metrics.busy[middle], further * bubble_of(stage),
                    1e-9);
        EXPECT_EQ(metrics.busy[middle - 1], metrics.busy[middle]);
      }
    }
  }
}

TEST(DualPipeVTimes, HaveTheBubbleOfTheClosedForm) {
  for (const StageCosts& stage : stages_to_try()) {
    Costs costs;
    costs.stages = {stage};
    for (std::int32_t p = 1; p <= 8; ++p) {
      for (std::int32_t m = 2 * p; m <= 2 * p + 3; ++m) {
        SCOPED_TRACE(size_text(p, m) + " FB=" + std::to_string(stage.overlapped));
        const Metrics metrics = time(dual_pipe_v({p, m, 1}), costs);
        EXPECT_NEAR(metrics.makespan - metrics.busy.back(), (p - 1) * bubble_of(stage),
                    1e-9);
      }
    }
  }
}

TEST(DualPipeTimes, OfOverlappedPairsShrinkByWhatEachPairSaves) {
  // On the middle device m-p pairs but the first (both ways together) are joined.
  for (const std::int32_t p : {2, 4, 8}) {
    const std::int32_t m = 3 * p;
    for (const double fb : {3.0, 2.75, 2.0}) {
      const Metrics metrics = time(dual_pipe({p, m, 1}), costs_of(1, 1, 1, fb));
      EXPECT_EQ(metrics.busy[static_cast<std::size_t>(p / 2)],
                3 * m - (m - p - 1) * (3 - fb))
          << p;
    }
  }
}

TEST(DualPipeTimes, GrowByATransferForEachTurnOfTwoDevices) {
  // Each cell waits for what the cell before it sent across, and is waited for.
  for (std::int32_t m = 4; m <= 20; m += 2) {
    const std::int32_t turns = m / 2 + 1;
    for (const double c : {0.25, 1.0}) {
      EXPECT_EQ(time(dual_pipe({2, m, 1}), costs_of(1, 1, 1, 3, c)).makespan,
                3 * m + c * turns);
    }
  }
}

// --- What overlapping is worth

// A stage whose every action exchanges data with other devices for a share of its time:
// alone it waits, in an overlapped pair the other half computes meanwhile.
Costs exchanging(double share, double scale) {
  return costs_of(scale, scale, scale, scale * std::max(3 * (1 - share), 3 * share));
}

TEST(Overlap, WinsNothingOverZeroBubbleWhereThereIsNothingToHide) {
  for (const std::int32_t p : {4, 8}) {
    for (const std::int32_t m : {2 * p, 4 * p}) {
      SCOPED_TRACE(size_text(p, m));
      // Half stages twice: what two chunks of V hold and do is what one stage does.
      const auto by_zero_bubble = zb_v({p, m, 1});
      const auto two_way = dual_pipe({p, m, 1});
      const auto folded = dual_pipe_v({p, m, 1});
      ASSERT_TRUE(by_zero_bubble && two_way && folded);
      const double zero = time(by_zero_bubble, exchanging(0, 0.5)).makespan;
      EXPECT_LT(zero, time(two_way, exchanging(0, 1)).makespan);
      EXPECT_LT(zero, time(folded, exchanging(0, 0.5)).makespan);
      // And zero bubble holds less: micro-batches of a whole p-th of the model.
      EXPECT_LE(memory(*by_zero_bubble).peak_chunks[0], 2 * p);
      EXPECT_EQ(memory(*folded).peak_chunks[0], 2 * p + 1);
      EXPECT_EQ(memory(*two_way).peak_chunks[0], p + 1);
    }
  }
}

TEST(Overlap, WinsWhereThereIsATransferToHide) {
  for (const std::int32_t p : {4, 8}) {
    for (const std::int32_t m : {2 * p, 4 * p}) {
      SCOPED_TRACE(size_text(p, m));
      const double zero = time(zb_v({p, m, 1}), exchanging(0.2, 0.5)).makespan;
      EXPECT_GT(zero, time(dual_pipe({p, m, 1}), exchanging(0.2, 1)).makespan);
      EXPECT_GT(zero, time(dual_pipe_v({p, m, 1}), exchanging(0.2, 0.5)).makespan);
    }
  }
}

// --- Chimera

TEST(ChimeraTimes, HaveTheIdleFractionOfTheClosedForms) {
  const Costs even = costs_of(1, 1, 0, 2);
  const Costs doubled = costs_of(1, 1, 1, 3);
  for (std::int32_t p = 2; p <= 16; p += 2) {
    for (std::int32_t m = p; m <= 4 * p; m += p) {
      EXPECT_NEAR(time(chimera({p, m, 1}), even).idle_fraction,
                  (p - 2) / (2.0 * m + p - 2), 1e-12)
          << size_text(p, m);
    }
    EXPECT_NEAR(time(chimera({p, p, 1}), doubled).idle_fraction,
                (p - 2) / (1.5 * p + p - 2), 1e-12)
        << p;
  }
  EXPECT_NEAR(time(chimera({4, 4, 1}), even).idle_fraction, 1.0 / 5, 1e-12);
  EXPECT_NEAR(time(chimera({4, 4, 1}), doubled).idle_fraction, 1.0 / 4, 1e-12);
  EXPECT_NEAR(time(chimera({8, 8, 1}), doubled).idle_fraction, 1.0 / 3, 1e-12);
}

TEST(ChimeraTimes, LoseTheBubblesBetweenUnitsToForwardDoubling) {
  const Costs doubled = costs_of(1, 1, 1, 3);
  for (std::int32_t p = 4; p <= 16; p += 2) {
    for (const std::int32_t m : {2 * p, 4 * p}) {
      const double idle =
          time(chimera({p, m, 1}, Concatenation::ForwardDoubling), doubled)
              .idle_fraction;
      EXPECT_NEAR(idle, (p - 2) / (2.0 * m + p - 2), 1e-12) << size_text(p, m);
      EXPECT_LT(idle, time(chimera({p, m, 1}), doubled).idle_fraction);
    }
  }
}

// --- All of them

TEST(TwoWay, ReachNoLessThanTheLowerBoundAndVerifyAtEverySize) {
  for (const char* name : {"dualpipe", "dualpipe-v", "chimera"}) {
    std::int32_t accepted = 0;
    for (std::int32_t p = 1; p <= 8; ++p) {
      for (std::int32_t m = 1; m <= 17; ++m) {
        const auto schedule = generate(name, {.shape = {p, m, 2}});
        if (!schedule) continue;
        ++accepted;
        EXPECT_TRUE(verify(*schedule).empty()) << name << size_text(p, m);
        const Metrics metrics = time(schedule, costs_of(1, 1, 1, 3));
        const std::int32_t chunks = schedule->placement.stages() / p;
        EXPECT_GE(metrics.makespan, 2 * 3 * m * chunks);
        const auto all = std::minmax_element(metrics.busy.begin(), metrics.busy.end());
        if (m % 2 == 0) {
          EXPECT_EQ(*all.first, *all.second);
        }
      }
    }
    EXPECT_GE(accepted, 16) << name;
  }
}

}  // namespace
}  // namespace pipeline
