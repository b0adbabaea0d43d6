#include "timeline/compare.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "timeline/costs_from.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches,
              std::int32_t steps = 1) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches, .steps = steps};
  return *generate(name, {shape});
}

Costs three_stages(double scale = 1) {
  Costs costs;
  costs.stages = {{3 * scale, 2 * scale, 2 * scale, 3 * scale, 7 * scale, 1 * scale},
                  {4 * scale, 3 * scale, 3 * scale, 4 * scale, 10 * scale, 2 * scale},
                  {5 * scale, 4 * scale, 4 * scale, 5 * scale, 13 * scale, 3 * scale}};
  return costs;
}

/// As if measured: on host threads, by a clock that did not start at 0.
Timeline as_measured(Timeline timeline, double clock) {
  timeline.level = Level::HostThreads;
  for (auto& spans : timeline.spans) {
    for (Span& span : spans) span = {span.start + clock, span.end + clock};
  }
  return timeline;
}

TEST(Compare, FindsNoDifferenceBetweenATimelineAndItself) {
  const Schedule schedule = make("1f1b", 3, 5);
  const Timeline timeline = *simulate(schedule, three_stages());
  const Comparison same = *compare(schedule, timeline, as_measured(timeline, 1024));
  EXPECT_EQ(same.predicted_level, Level::Symbolic);
  EXPECT_EQ(same.measured_level, Level::HostThreads);
  EXPECT_EQ(same.makespan_ratio(), 1);
  EXPECT_EQ(same.largest.difference, 0);
  const Timeline later = as_measured(timeline, 512);
  EXPECT_EQ(compare(schedule, later, timeline)->largest.difference, 0);
  for (const ComparedValue& value : compared_values(same)) {
    EXPECT_DOUBLE_EQ(value.ratio(), 1) << value.quantity;
  }
}

TEST(Compare, GivesTheRatioOfEveryQuantity) {
  const Schedule schedule = make("1f1b", 3, 5);
  const Timeline predicted = *simulate(schedule, three_stages());
  const Timeline measured = as_measured(*simulate(schedule, three_stages(2)), 64);
  const Comparison twice = *compare(schedule, predicted, measured);
  EXPECT_EQ(twice.makespan_ratio(), 2);
  std::vector<std::string> names;
  for (const ComparedValue& value : compared_values(twice)) {
    names.push_back(value.quantity);
    const double expected = value.quantity == "idle fraction" ? 1 : 2;
    EXPECT_DOUBLE_EQ(value.ratio(), expected) << value.quantity;
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "makespan", "idle fraction", "mean forward", "mean backward",
                       "mean update", "busy on device 0", "idle on device 0",
                       "busy on device 1", "idle on device 1", "busy on device 2",
                       "idle on device 2"}));
  ASSERT_EQ(twice.kinds.size(), 3U);
  EXPECT_EQ(twice.kinds[0].count, 15);
  EXPECT_DOUBLE_EQ(twice.kinds[0].predicted_mean, 4);
  EXPECT_DOUBLE_EQ(twice.kinds[1].measured_mean, 12);
}

TEST(Compare, PointsAtTheEntryThatIsFurthestOff) {
  const Schedule schedule = make("forward", 2, 3);
  const Timeline predicted = *simulate(schedule, Costs{});
  Timeline measured = as_measured(predicted, 10);
  measured.spans[1][1].end += 0.25;
  measured.spans[1][2].start += 0.25;
  measured.spans[1][2].end += 0.75;
  const Deviation largest = compare(schedule, predicted, measured)->largest;
  EXPECT_EQ(largest.device, 1);
  EXPECT_EQ(largest.entry, 2U);
  EXPECT_EQ(largest.action, (Action{ActionKind::Forward, 0, 1, 2}));
  EXPECT_EQ(largest.difference, 0.75);
  EXPECT_EQ(largest.predicted.end, 4);
  EXPECT_EQ(largest.measured.end, 4.75);
}

TEST(Compare, RefusesATimelineOfOtherRows) {
  const Schedule schedule = make("1f1b", 2, 3);
  const Timeline right = *simulate(schedule, Costs{});
  const Schedule lowered = lower(schedule);
  const Timeline wrong = *simulate(lowered, Costs{});
  EXPECT_EQ(compare(schedule, wrong, right).error().what,
            "the predicted timeline belongs to another schedule");
  EXPECT_EQ(compare(schedule, right, wrong).error().what,
            "the measured timeline belongs to another schedule");
  EXPECT_TRUE(compare(lowered, wrong, wrong));
}

TEST(ComparedValue, HasARatioEvenWithoutAPrediction) {
  EXPECT_EQ((ComparedValue{"", 4, 6}).ratio(), 1.5);
  EXPECT_EQ((ComparedValue{"", 0, 0}).ratio(), 1);
  EXPECT_EQ((ComparedValue{"", 0, 1}).ratio(), std::numeric_limits<double>::infinity());
}

TEST(CostsFrom, GiveBackTheCostsThatATimelineWasMadeWith) {
  Costs costs = three_stages();
  costs.within_node.latency = 6;
  const Schedule lowered = lower(make("1f1b", 3, 5, 2));
  const Timeline measured = as_measured(*simulate(lowered, costs), 128);
  for (const Average average : {Average::Median, Average::Mean}) {
    const Costs found = costs_from(lowered, measured, average);
    ASSERT_EQ(found.stages.size(), 3U);
    for (std::int32_t s = 0; s < 3; ++s) {
      EXPECT_EQ(found.of(s).forward, costs.of(s).forward);
      EXPECT_EQ(found.of(s).backward(), costs.of(s).backward());
      EXPECT_EQ(found.of(s).recompute, costs.of(s).forward);
      EXPECT_EQ(found.of(s).overlapped, costs.of(s).overlapped);
      EXPECT_EQ(found.of(s).update, costs.of(s).update);
    }
    EXPECT_EQ(found.within_node.latency, 6);
    EXPECT_EQ(compare(lowered, *simulate(lowered, found), measured)->largest.difference,
              0);
  }
}

TEST(CostsFrom, PredictEveryScheduleThatTheyWereMeasuredOn) {
  for (const Generator& generator : generators()) {
    const Shape shape{.devices = 4, .micro_batches = 8, .steps = 2};
    const Expected<Schedule> schedule = generate(generator.name, {.shape = shape});
    if (!schedule) continue;
    Costs costs;
    costs.stages.clear();
    for (std::int32_t s = 0; s < schedule->stages(); ++s) {
      const double size = s + 1;
      // One pair is of two stages: what each contributes cannot be told apart.
      costs.stages.push_back({.forward = size,
                              .input_gradient = 2 * size,
                              .weight_gradient = 2 * size,
                              .overlapped = 30,
                              .update = size,
                              .reduce = 3});
    }
    costs.within_node.latency = 2;
    const Timeline timeline = *simulate(*schedule, costs, {.record_transfers = true});
    const Costs found = costs_from(*schedule, as_measured(timeline, 1024));
    const Comparison same = *compare(*schedule, timeline, *simulate(*schedule, found));
    EXPECT_EQ(same.makespan_ratio(), 1) << generator.name;
    EXPECT_EQ(same.largest.difference, 0) << generator.name;
    for (const ComparedKind& kind : same.kinds) {
      EXPECT_EQ(kind.predicted_mean, kind.measured_mean) << generator.name;
    }
  }
}

TEST(CostsFrom, TakeTransfersFromTheTimelineWhereItHasThem) {
  const Schedule schedule = make("1f1b", 3, 5);
  Costs costs = three_stages();
  costs.within_node.latency = 6;
  const Timeline recorded = *simulate(schedule, costs, {.record_transfers = true});
  EXPECT_EQ(costs_from(schedule, recorded).within_node.latency, 6);
  EXPECT_EQ(costs_from(schedule, *simulate(schedule, costs)).within_node.latency, 0);
}

TEST(CostsFrom, AreNotMovedByOneSlowActionUnlessAskedForTheMean) {
  const Schedule schedule = make("forward", 1, 5);
  Timeline measured = *simulate(schedule, Costs{});
  measured.spans[0][0].start -= 10;
  EXPECT_EQ(costs_from(schedule, measured).of(0).forward, 1);
  EXPECT_EQ(costs_from(schedule, measured, Average::Mean).of(0).forward, 3);
}

TEST(CostsFrom, KeepTheHalvesOfABackwardApartWhereTheyWereMeasured) {
  Schedule schedule = make("1f1b", 1, 2);
  schedule.rows[0] = {
      {{ActionKind::Forward, 0, 0, 0}},        {{ActionKind::InputGradient, 0, 0, 0}},
      {{ActionKind::Forward, 0, 0, 1}},        {{ActionKind::Recompute, 0, 0, 1}},
      {{ActionKind::InputGradient, 0, 0, 1}},  {{ActionKind::WeightGradient, 0, 0, 0}},
      {{ActionKind::WeightGradient, 0, 0, 1}}, {{ActionKind::Update, 0, 0, 1}}};
  const Costs costs{
      .stages = {
          {.forward = 2, .input_gradient = 3, .weight_gradient = 4, .recompute = 7}}};
  const Costs found = costs_from(schedule, *simulate(schedule, costs));
  EXPECT_EQ(found.of(0).input_gradient, 3);
  EXPECT_EQ(found.of(0).weight_gradient, 4);
  EXPECT_EQ(found.of(0).recompute, 7);
}

TEST(CostsFrom, MeasureAnOverlappedPairAsOne) {
  Schedule schedule = make("1f1b", 1, 2);
  schedule.rows[0] = {{{ActionKind::Forward, 0, 0, 0}},
                      {{ActionKind::Forward, 0, 0, 1}, true},
                      {{ActionKind::Backward, 0, 0, 0}},
                      {{ActionKind::Backward, 0, 0, 1}},
                      {{ActionKind::Update, 0, 0, 1}}};
  const Costs costs{.stages = {{.forward = 2, .overlapped = 2.5}}};
  const Costs found = costs_from(schedule, *simulate(schedule, costs));
  EXPECT_EQ(found.of(0).forward, 2);
  EXPECT_EQ(found.of(0).backward(), 2);
  EXPECT_EQ(found.of(0).overlapped, 2.5);
}

TEST(Level, IsNamedAsReportsNameIt) {
  EXPECT_EQ(to_text(Level::Symbolic), "symbolic");
  EXPECT_EQ(to_text(Level::HostThreads), "host threads");
  EXPECT_EQ(to_text(Level::Replay), "replay");
  EXPECT_EQ(to_text(Level::OneGpu), "one GPU, p streams");
  EXPECT_EQ(to_text(Level::Gpus), "p GPUs");
  EXPECT_EQ(to_text(Level::Processes), "p processes");
}

}  // namespace
}  // namespace pipeline
