#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

/// A link, what goes over it, and what computes beside it.
struct Case {
  SlowLine line;
  double bytes = 0;
  double stage_time = 0;

  double on_the_link() const { return bytes / line.bandwidth; }
  double message() const { return on_the_link() + line.latency; }
  std::string name() const {
    return "Stages of " + figure(stage_time) + " s, messages of " + figure(bytes) +
           " bytes on a link of " + figure(line.bandwidth) + " bytes/s and " +
           figure(line.latency) + " s latency: ";
  }
};

/// Links faster than the stages, as fast, and slower; with little latency and a lot.
/// All numbers add up without rounding.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const double latency : {0.0, 0.5, 7.0}) {
    for (const double bandwidth : {4096.0, 512.0, 256.0, 128.0}) {
      all.push_back({{latency, bandwidth}, 1024, 3});
      all.push_back({{latency, bandwidth}, 512, 2});
    }
  }
  return all;
}

Costs costs_of(const Case& on) {
  Costs costs;
  costs.stages.front().forward = on.stage_time;
  costs.message_bytes = {on.bytes};
  costs.within_node = {on.line.latency, on.line.bandwidth};
  return costs;
}

/// Forwards whose sender waits for its message to arrive, walked through.
double walk_with_waiting(std::int32_t devices, std::int32_t micro_batches,
                         const Case& on) {
  std::vector<double> free_at(static_cast<std::size_t>(devices), 0);
  double arrived = 0;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    arrived = 0;
    for (std::size_t d = 0; d < free_at.size(); ++d) {
      arrived = std::max(free_at[d], arrived) + on.stage_time;
      if (d + 1 < free_at.size()) arrived += on.message();
      free_at[d] = arrived;
    }
  }
  return arrived;
}

double takes(std::int32_t devices, std::int32_t micro_batches, const Case& on,
             bool overlapped) {
  if (!overlapped) return walk_with_waiting(devices, micro_batches, on);
  const auto schedule = forward_only({devices, micro_batches});
  return measure(*schedule, *simulate(*schedule, costs_of(on))).makespan;
}

void expect_message_time(const std::vector<Case>& all) {
  for (const Case& on : all) {
    ASSERT_DOUBLE_EQ(message_time(on.line, on.bytes), on.message())
        << on.name() << "the last byte leaves after " << figure(on.on_the_link())
        << " s and arrives " << figure(on.line.latency)
        << " s later. Re-read chapter 04, \"A message\".";
  }
}

TEST(MessageTime, IsThatOfItsBytesAndTheLatency) {
  POINTS(1);
  expect_message_time(cases());
}

void expect_overlapped_interval(const std::vector<Case>& all) {
  for (const Case& on : all) {
    // In the middle of a long run: 40 more micro-batches.
    const double interval = (takes(3, 80, on, true) - takes(3, 40, on, true)) / 40;
    ASSERT_DOUBLE_EQ(interval_of(on.stage_time, on.line, on.bytes, true), interval)
        << on.name() << "while a device computes, its message is under way, for "
        << figure(on.on_the_link())
        << " s on the link. The slower of the two sets the pace, and a latency delays "
           "every message alike. Re-read chapter 04, \"Overlap\".";
  }
}

TEST(IntervalOf, IsThatOfTheSlowestPlaceWhenTransfersOverlap) {
  POINTS(2);
  expect_overlapped_interval(cases());
}

void expect_waiting_interval(const std::vector<Case>& all) {
  for (const Case& on : all) {
    const double interval = (takes(3, 80, on, false) - takes(3, 40, on, false)) / 40;
    ASSERT_DOUBLE_EQ(interval_of(on.stage_time, on.line, on.bytes, false), interval)
        << on.name() << "a device that waits for its message to arrive computes "
        << figure(on.stage_time) << " s and waits " << figure(on.message())
        << " s, one after the other. Re-read chapter 04, \"Overlap\".";
  }
}

TEST(IntervalOf, IsTheSumWhenTheSenderWaits) {
  POINTS(1);
  expect_waiting_interval(cases());
}

void expect_forwards_time(const std::vector<Case>& all,
                          const std::vector<PipelineSize>& sizes) {
  for (const Case& on : all) {
    for (const auto& [p, m] : sizes) {
      for (const bool overlapped : {true, false}) {
        const double expected = takes(p, m, on, overlapped);
        ASSERT_DOUBLE_EQ(
            forwards_time(p, m, on.stage_time, on.line, on.bytes, overlapped), expected)
            << on.name() << p << " devices, " << m << " micro-batches, "
            << (overlapped ? "overlapped" : "with senders that wait")
            << ": the last forward ends after " << figure(expected)
            << " s. The first micro-batch crosses every stage and every link between "
               "two of them; after it one comes every interval. Re-read chapter 04, "
               "\"Overlap\".";
      }
    }
  }
}

TEST(ForwardsTime, IsWhatThePipelineTakes) {
  POINTS(2);
  expect_forwards_time(
      cases(),
      {{1, 1}, {1, 2}, {1, 9}, {2, 1}, {2, 2}, {2, 9}, {5, 1}, {5, 2}, {5, 9}});
}

void expect_break_even(const std::vector<Case>& all) {
  for (const auto& [line, bytes, stage_time] : all) {
    const double least = bytes / stage_time;
    const double yours = least_bandwidth(bytes, stage_time);
    ASSERT_DOUBLE_EQ(yours, least)
        << "Messages of " << figure(bytes) << " bytes, stages of " << figure(stage_time)
        << " s: on a link of " << figure(yours) << " bytes/s a message takes "
        << figure(bytes / yours) << " s. Re-read chapter 04, \"Break-even\".";
  }
}

TEST(LeastBandwidth, IsWhereTheLinkTakesAsLongAsTheStage) {
  POINTS(1);
  expect_break_even({{{}, 512, 0.5},
                     {{}, 512, 2},
                     {{}, 512, 8},
                     {{}, 4096, 0.5},
                     {{}, 4096, 2},
                     {{}, 4096, 8}});
}

/// The mean time from one micro-batch to the next in the middle of a long 1F1B step,
/// with F = I = W = a third of the stage's time.
double interval_holding(const std::vector<std::int32_t>& held, double stage_time,
                        double message) {
  Costs costs;
  const double third = stage_time / 3;
  costs.stages = {
      {.forward = third, .input_gradient = third, .weight_gradient = third}};
  costs.within_node.latency = message;
  const auto end_of = [&](std::int32_t m) {
    const auto schedule =
        one_f_one_b({static_cast<std::int32_t>(held.size()), m}, held);
    return measure(*schedule, *simulate(*schedule, costs)).makespan;
  };
  return (end_of(180) - end_of(90)) / 90;
}

/// A third of a stage's time, and sums of that, are exact.
struct Training {
  std::int32_t devices = 1;
  double stage_time = 6;
  double message = 0;

  std::vector<std::int32_t> held() const {
    std::vector<std::int32_t> all;
    all.reserve(static_cast<std::size_t>(devices));
    for (std::int32_t s = 0; s < devices; ++s)
      all.push_back(held_to_hide(s, devices, stage_time, message));
    return all;
  }
  std::string name() const {
    return std::to_string(devices) + " stages of " + figure(stage_time) +
           " s, messages of " + figure(message) + " s, and stages that hold ";
  }
};

std::vector<Training> trainings() {
  std::vector<Training> all;
  for (const double message : {0, 1, 3, 4, 6, 7, 13}) {
    for (std::int32_t p = 1; p <= 4; ++p) all.push_back({p, 6, message});
  }
  return all;
}

/// Whether 1F1B can run so: no stage holds less than 1 or than the one after it.
bool can_run(const std::vector<std::int32_t>& held) {
  for (std::size_t s = 0; s < held.size(); ++s) {
    if (held[s] < (s + 1 < held.size() ? held[s + 1] : 1) || held[s] > 1000) {
      return false;
    }
  }
  return true;
}

void expect_busy(const std::vector<Training>& all) {
  for (const Training& training : all) {
    const auto held = training.held();
    const std::string size = training.name() + listed(held) + ": ";
    ASSERT_TRUE(can_run(held))
        << size << "a stage cannot hold more than the one before it hands on, and "
        << "needs 1 at least. Re-read chapter 04, \"In flight\".";
    const double interval =
        interval_holding(held, training.stage_time, training.message);
    ASSERT_NEAR(interval, training.stage_time, 1e-9)
        << size << "a micro-batch leaves every " << figure(interval)
        << " s: some stage waits for a gradient that is still under way. An "
           "activation goes there and a gradient comes back. Re-read chapter 04, "
           "\"In flight\".";
  }
}

TEST(HeldToHide, KeepsEveryStageBusy) {
  POINTS(2);
  expect_busy(trainings());
}

void expect_no_more_held(const std::vector<Training>& all) {
  for (const Training& training : all) {
    const auto held = training.held();
    const std::string size = training.name() + listed(held) + ": ";
    ASSERT_TRUE(can_run(held)) << size << "they cannot run. Re-read chapter 04, \"In "
                               << "flight\".";
    for (std::size_t s = 0; s + 1 < held.size(); ++s) {
      std::vector<std::int32_t> fewer = held;
      --fewer[s];
      if (!can_run(fewer)) continue;
      ASSERT_GT(interval_holding(fewer, training.stage_time, training.message),
                training.stage_time + 1e-9)
          << size << "stage " << s << " could hold one less. Re-read chapter 04, \"In "
          << "flight\".";
    }
  }
}

TEST(HeldToHide, HoldsNoMoreThanItMust) {
  POINTS(1);
  expect_no_more_held(trainings());
}

// --- Drawn inputs: see classroom/draw.hpp

/// Of powers of two and quarters, so that all of it adds up without rounding.
std::vector<Case> drawn_cases(Draw& draw) {
  std::vector<Case> all;
  for (int i = 0; i < 8; ++i) {
    const double bandwidth = 64 << draw.between(0, 6);
    const double latency = draw.quarters(0, 8) + 0.25;
    all.push_back(
        {{latency, bandwidth}, 64.0 * draw.between(1, 64), draw.quarters(1, 9)});
  }
  return all;
}

TEST(MessageTime, HoldsForDrawnLinksToo) {
  POINTS(1);
  Draw draw;
  expect_message_time(drawn_cases(draw));
}

TEST(IntervalOf, HoldsForDrawnLinksToo) {
  POINTS(1);
  Draw draw;
  const std::vector<Case> all = drawn_cases(draw);
  expect_overlapped_interval(all);
  expect_waiting_interval(all);
}

TEST(ForwardsTime, HoldsForDrawnPipelinesToo) {
  POINTS(1);
  Draw draw;
  const std::vector<Case> all = drawn_cases(draw);
  expect_forwards_time(all, draw_sizes(draw, 6, {2, 3}, {16, 40}));
}

TEST(LeastBandwidth, HoldsForDrawnMessagesToo) {
  POINTS(1);
  Draw draw;
  expect_break_even(drawn_cases(draw));
}

TEST(HeldToHide, HoldsForDrawnPipelinesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Training> all;
  for (int i = 0; i < 8; ++i) {
    // Messages of sixths of a stage, there and back again in thirds: with less left
    // over than a forward takes, a stage far in front can do with one less.
    // Now and then nothing is left over.
    const std::int32_t sixth = draw.between(1, 4);
    const std::int32_t sixths =
        i % 3 == 0 ? 3 * draw.between(1, 4) : draw.between(1, 14);
    all.push_back(
        {draw.between(2, 5), 6.0 * sixth, static_cast<double>(sixth * sixths)});
  }
  expect_busy(all);
  expect_no_more_held(all);
}

}  // namespace
}  // namespace pipeline
