#include "timeline/memory_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/recompute.hpp"
#include "timeline/drawing_test_support.hpp"
#include "timeline/simulate.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

using Steps = std::vector<MemoryStep>;

/// "0:1 3:2": time and activations held from then on.
std::string in_words(const Steps& steps) {
  std::string words;
  for (const MemoryStep& step : steps) {
    if (!words.empty()) words += ' ';
    words += number(step.time, 2) + ":" + number(step.held, 2);
  }
  return words;
}

TEST(MemoryCurve, RisesWithEachForwardAndFallsBehindEachBackward) {
  const Drawn d = drawn("1f1b", 2, 3);
  const auto curves = memory_curve(d.schedule, d.timeline);
  ASSERT_EQ(curves.size(), 2U);
  // F0 0-1, F1 1-2, B0 4-6, F2 6-7, B1 7-9, B2 10-12: B0 and F2 change places at 6.
  EXPECT_EQ(in_words(curves[0]), "0:1 1:2 9:1 12:0");
  // F0 1-2, B0 2-4, F1 4-5, B1 5-7, F2 7-8, B2 8-10.
  EXPECT_EQ(in_words(curves[1]), "1:1 10:0");
}

TEST(MemoryCurve, HoldsUntilTheWeightGradient) {
  const Drawn d = drawn("zb-h1", 2, 2);
  const MemoryOptions half{.freed_by_input_gradient = 0.5};
  const auto curves = memory_curve(d.schedule, d.timeline, half);
  // Device 1: F0 1-2, I0 2-3, then F1 3-4, I1 4-5, W0 5-6, W1 6-7.
  EXPECT_EQ(in_words(curves[1]), "1:1 3:1.5 5:1 6:0.5 7:0");
}

TEST(MemoryCurve, LetsTheForwardOfACellAllocateBeforeTheBackwardFrees) {
  const Drawn d = one_row({{{ActionKind::Forward, 0, 0, 0}, false},
                           {{ActionKind::Forward, 0, 0, 1}, true},
                           {{ActionKind::Backward, 0, 0, 0}, false},
                           {{ActionKind::Backward, 0, 0, 1}, false}});
  EXPECT_EQ(in_words(memory_curve(d.schedule, d.timeline)[0]), "0:1 1:2 2:1 3:0");
}

TEST(MemoryCurve, LeavesOnlyTheInputBetweenForwardAndRecompute) {
  const Schedule schedule = *with_recompute(*generate("gpipe", {{1, 2}}));
  const auto timeline = simulate(schedule, Costs{});
  const MemoryOptions options{.input_share = {0.25}};
  // F0 0-1, F1 1-2, R0 2-3, B0 3-5, R1 5-6, B1 6-8.
  EXPECT_EQ(in_words(memory_curve(schedule, *timeline, options)[0]),
            "0:1 1:1.25 5:1 8:0");
}

TEST(MemoryCurve, IsTheSameForLoweredRows) {
  const Drawn d = drawn("1f1b", 3, 4);
  const Schedule lowered = lower(d.schedule);
  EXPECT_EQ(memory_curve(d.schedule, d.timeline),
            memory_curve(lowered, *simulate(lowered, Costs{})));
}

TEST(MemoryCurve, IsEmptyForATimelineOfAnotherSchedule) {
  EXPECT_TRUE(
      memory_curve(drawn("1f1b", 2, 3).schedule, drawn("1f1b", 2, 4).timeline).empty());
}

void expect_peaks(const Schedule& schedule, const MemoryOptions& options,
                  const Costs& costs) {
  const auto timeline = simulate(schedule, costs);
  ASSERT_TRUE(timeline);
  const auto curves = memory_curve(schedule, *timeline, options);
  const Memory peaks = memory(schedule, options);
  ASSERT_EQ(curves.size(), peaks.peak.size());
  for (std::size_t d = 0; d < curves.size(); ++d) {
    double held = 0;
    std::int32_t chunks = 0;
    for (std::size_t i = 0; i < curves[d].size(); ++i) {
      held = std::max(held, curves[d][i].held);
      chunks = std::max(chunks, curves[d][i].chunks);
      if (i == 0) continue;
      EXPECT_LE(curves[d][i - 1].time, curves[d][i].time);
    }
    EXPECT_EQ(held, peaks.peak[d]) << "device " << d;
    EXPECT_EQ(chunks, peaks.peak_chunks[d]) << "device " << d;
    if (curves[d].empty()) continue;
    EXPECT_NEAR(curves[d].back().held, 0, 1e-12) << "device " << d;
    EXPECT_EQ(curves[d].back().chunks, 0) << "device " << d;
  }
}

TEST(MemoryCurve, IsAsHighAsThePeakForEveryGenerator) {
  const std::int32_t limit = in_full_tier() ? 12 : 6;
  const Costs free_forwards{.stages = {{.forward = 0, .update = 1}}};
  for (const Generator& generator : generators()) {
    int accepted = 0;
    for (Shape shape : shapes_up_to(limit)) {
      shape.steps = 1 + shape.micro_batches % 2;
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      ++accepted;
      SCOPED_TRACE(std::string(generator.name) + " p=" + std::to_string(shape.devices) +
                   " m=" + std::to_string(shape.micro_batches));
      expect_peaks(d->schedule, {.freed_by_input_gradient = 0.25}, Costs{});
      expect_peaks(d->schedule, {}, free_forwards);
      const auto recomputed = with_recompute(d->schedule);
      if (recomputed) expect_peaks(*recomputed, {.input_share = {0.5}}, Costs{});
    }
    EXPECT_GT(accepted, 3) << generator.name;
  }
}

TEST(MemoryCurve, IsAsHighAsThePeakForSchedulesWithoutAPlan) {
  test::Random random(8);
  for (int round = in_full_tier() ? 5000 : 200; round > 0; --round) {
    const MemoryOptions options{.freed_by_input_gradient = 0.25 * random.between(0, 4)};
    expect_peaks(test::random_schedule(random), options, Costs{});
  }
}

}  // namespace
}  // namespace pipeline
