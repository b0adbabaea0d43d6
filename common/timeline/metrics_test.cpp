#include "timeline/metrics.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "timeline/fraction.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches,
              std::int32_t steps = 1) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches, .steps = steps};
  return *generate(name, {shape});
}

Metrics metrics_of(const Schedule& schedule, const Costs& costs = {}) {
  return measure(schedule, *simulate(schedule, costs));
}

TEST(Metrics, NameTheFourBubblesOfOneFOneB) {
  const Metrics metrics = metrics_of(make("1f1b", 4, 8));  // F = 1, B = 2
  EXPECT_EQ(metrics.makespan, 33);
  EXPECT_EQ(metrics.ideal, 24);
  EXPECT_EQ(metrics.longest_span, 33);
  EXPECT_DOUBLE_EQ(metrics.idle_fraction, 3.0 / 11);
  EXPECT_DOUBLE_EQ(metrics.idle_overhead, 3.0 / 8);
  EXPECT_DOUBLE_EQ(metrics.span_bubble, 3.0 / 11);
  EXPECT_EQ(metrics.internal_idle, (std::vector<double>{9, 6, 3, 0}));
  EXPECT_EQ(metrics.busy, (std::vector<double>{24, 24, 24, 24}));
  const RatioTexts texts = ratio_texts(metrics);
  EXPECT_EQ(texts.utilisation, "8/11");
  EXPECT_EQ(texts.idle_fraction, "3/11");
  EXPECT_EQ(texts.idle_overhead, "3/8");
  EXPECT_EQ(texts.span_bubble, "3/11");
}

TEST(Metrics, UseTwoThirdsOfThreeDevicesForFourMicroBatches) {
  const Metrics metrics = metrics_of(make("forward", 3, 4));
  EXPECT_DOUBLE_EQ(metrics.utilisation, 2.0 / 3);
  EXPECT_EQ(ratio_texts(metrics).utilisation, "2/3");
}

TEST(Metrics, UseOneOfPDevicesUnderModelParallelism) {
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 1; m <= 12; ++m) {
      const Metrics metrics = metrics_of(make("model-parallel", p, m));
      EXPECT_EQ(ratio_texts(metrics).utilisation, fraction_text(1, p));
    }
  }
}

TEST(Metrics, GiveBothPipelinesTheIdleFractionOfTheFormula) {
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 1; m <= 12; ++m) {
      for (const char* name : {"forward", "gpipe", "1f1b"}) {
        const Metrics metrics = metrics_of(make(name, p, m));
        const RatioTexts texts = ratio_texts(metrics);
        EXPECT_EQ(texts.idle_fraction, fraction_text(p - 1, m + p - 1)) << name;
        EXPECT_EQ(texts.idle_overhead, fraction_text(p - 1, m)) << name;
        EXPECT_NEAR(metrics.utilisation + metrics.idle_fraction, 1, 1e-12);
      }
    }
  }
}

TEST(Metrics, IdleLessThanAFifthAtFourMicroBatchesADevice) {
  for (std::int32_t p = 1; p <= 32; ++p) {
    EXPECT_LT(metrics_of(make("gpipe", p, 4 * p)).idle_fraction, 0.2) << p;
    EXPECT_EQ(ratio_texts(metrics_of(make("gpipe", p, 4 * p))).idle_fraction,
              fraction_text(p - 1, 5 * p - 1));
  }
}

TEST(Metrics, LeaveTheLatencyOfAMicroBatchAtPTicksWhateverM) {
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 1; m <= 12; ++m) {
      EXPECT_EQ(metrics_of(make("forward", p, m)).first_latency, p);
    }
  }
}

TEST(Metrics, TakeTheSlowestStageAsSteadyInterval) {
  Costs costs;
  costs.stages.clear();
  for (const double forward : {2.0, 5.0, 1.0, 3.0}) {
    costs.stages.push_back({.forward = forward, .input_gradient = 1});
  }
  EXPECT_EQ(metrics_of(make("forward", 4, 9), costs).steady_interval, 5);
  EXPECT_EQ(metrics_of(make("1f1b", 4, 9), costs).steady_interval, 7);
  EXPECT_EQ(metrics_of(make("1f1b", 4, 8)).steady_interval, 3);
  EXPECT_EQ(metrics_of(make("forward", 4, 1)).steady_interval, 0);
  // In a run of several steps most gaps are within a step.
  EXPECT_EQ(metrics_of(make("1f1b", 4, 8, 3)).steady_interval, 3);
}

TEST(Metrics, AddUpTheRatesOfBothCopies) {
  // Each direction delivers a micro-batch per 2 * (F + B), as the other is in between.
  const Metrics metrics = metrics_of(make("dualpipe", 4, 40));
  EXPECT_EQ(metrics.steady_interval, 3);
  EXPECT_EQ(metrics.first_latency, 4);
}

TEST(Metrics, FollowAllSlicesOfTheFirstMicroBatch) {
  const Schedule schedule = *generate(
      "token-slices", {.shape = {.devices = 3, .micro_batches = 2}, .slices = {4}});
  EXPECT_EQ(metrics_of(schedule).first_latency, 4 + 3 - 1);
}

TEST(Metrics, CountAReduceFromWhenBothDevicesAreThere) {
  Costs costs;
  costs.stages[0].reduce = 5;
  const Schedule schedule = make("dualpipe", 2, 4);
  const Metrics without = metrics_of(schedule);
  const Metrics with = metrics_of(schedule, costs);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_EQ(with.busy[d], without.busy[d] + 2 * 5);
  EXPECT_EQ(with.makespan, without.makespan + 2 * 5);
}

TEST(Metrics, DoNotSeeUpdatesThatTakeNoTime) {
  const Schedule with = make("1f1b", 4, 8, 2);
  Schedule moved = with;
  for (Row& row : moved.rows) {
    // An update before everything else, as if the step before ended here.
    row.insert(row.begin(), {{ActionKind::Update, 0, row[0].action.stage, 0}});
  }
  EXPECT_EQ(metrics_of(moved).internal_idle, metrics_of(with).internal_idle);
  EXPECT_EQ(metrics_of(moved).makespan, metrics_of(with).makespan);
}

TEST(Metrics, CountUpdatesThatTakeTimeAsBusy) {
  Costs costs;
  costs.stages[0].update = 4;
  const Metrics metrics = metrics_of(make("1f1b", 2, 3), costs);
  EXPECT_EQ(metrics.busy, (std::vector<double>{13, 13}));
  EXPECT_EQ(metrics.makespan, 3 * 4 + 4);
}

TEST(Metrics, AreTheSameForLoweredRows) {
  Costs costs;
  costs.within_node.latency = 5;
  const Schedule schedule = make("1f1b", 4, 8);
  const Metrics plain = metrics_of(schedule, costs);
  const Metrics lowered = metrics_of(lower(schedule), costs);
  EXPECT_EQ(lowered.makespan, plain.makespan);
  EXPECT_EQ(lowered.busy, plain.busy);
  EXPECT_EQ(lowered.internal_idle, plain.internal_idle);
  EXPECT_EQ(lowered.steady_interval, plain.steady_interval);
}

TEST(Metrics, CountJoinedEntriesOnce) {
  Schedule schedule = make("1f1b", 1, 2);
  schedule.rows[0] = {{{ActionKind::Forward, 0, 0, 0}},
                      {{ActionKind::Forward, 0, 0, 1}, true},
                      {{ActionKind::Backward, 0, 0, 0}},
                      {{ActionKind::Backward, 0, 0, 1}},
                      {{ActionKind::Update, 0, 0, 1}}};
  EXPECT_EQ(metrics_of(schedule).busy, (std::vector<double>{1 + 3 + 2}));
}

TEST(Metrics, MeasureFromTheFirstStartNotFromZero) {
  const Schedule schedule = make("1f1b", 4, 8);
  Timeline late = *simulate(schedule, Costs{});
  for (auto& spans : late.spans) {
    for (Span& span : spans) span = {span.start + 1000, span.end + 1000};
  }
  EXPECT_EQ(measure(schedule, late).makespan, 33);
  EXPECT_DOUBLE_EQ(measure(schedule, late).idle_fraction, 3.0 / 11);
}

TEST(Metrics, AreZeroWhereNothingTakesTime) {
  const Costs costs{.stages = {{0, 0, 0, 0, 0, 0}}};
  const Metrics metrics = metrics_of(make("1f1b", 3, 4), costs);
  EXPECT_EQ(metrics.makespan, 0);
  EXPECT_EQ(metrics.idle_fraction, 0);
  EXPECT_EQ(metrics.span_bubble, 0);
  EXPECT_EQ(metrics.utilisation, 0);
}

TEST(Fractions, AreInLowestTerms) {
  EXPECT_EQ(fraction_text(8, 12), "2/3");
  EXPECT_EQ(fraction_text(8, 4), "2");
  EXPECT_EQ(fraction_text(0, 7), "0");
  EXPECT_EQ(fraction_text(-6, 8), "-3/4");
  EXPECT_EQ(fraction_text(5, 0), "0");
}

TEST(Fractions, AreExactForTicksAndDecimalForTimes) {
  EXPECT_EQ(ratio_text(9, 33), "3/11");
  EXPECT_EQ(ratio_text(0, 33), "0");
  EXPECT_EQ(ratio_text(354069, 1456749), "0.2431");
  EXPECT_EQ(ratio_text(0.5, 2), "0.25");
  EXPECT_EQ(ratio_text(3, 0), "0");
}

}  // namespace
}  // namespace pipeline
