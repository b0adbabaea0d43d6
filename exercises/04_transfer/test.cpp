#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

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

TEST(MessageTime, IsThatOfItsBytesAndTheLatency) {
  POINTS(1);
  for (const Case& on : cases()) {
    ASSERT_DOUBLE_EQ(message_time(on.line, on.bytes), on.message())
        << on.name() << "the last byte leaves after " << figure(on.on_the_link())
        << " s and arrives " << figure(on.line.latency)
        << " s later. Re-read chapter 04, \"A message\".";
  }
}

TEST(IntervalOf, IsThatOfTheSlowestPlaceWhenTransfersOverlap) {
  POINTS(2);
  for (const Case& on : cases()) {
    // In the middle of a long run: 40 more micro-batches.
    const double interval = (takes(3, 80, on, true) - takes(3, 40, on, true)) / 40;
    ASSERT_DOUBLE_EQ(interval_of(on.stage_time, on.line, on.bytes, true), interval)
        << on.name() << "while a device computes, its message is under way, for "
        << figure(on.on_the_link())
        << " s on the link. The slower of the two sets the pace, and a latency delays "
           "every message alike. Re-read chapter 04, \"Overlap\".";
  }
}

TEST(IntervalOf, IsTheSumWhenTheSenderWaits) {
  POINTS(1);
  for (const Case& on : cases()) {
    const double interval = (takes(3, 80, on, false) - takes(3, 40, on, false)) / 40;
    ASSERT_DOUBLE_EQ(interval_of(on.stage_time, on.line, on.bytes, false), interval)
        << on.name() << "a device that waits for its message to arrive computes "
        << figure(on.stage_time) << " s and waits " << figure(on.message())
        << " s, one after the other. Re-read chapter 04, \"Overlap\".";
  }
}

TEST(ForwardsTime, IsWhatThePipelineTakes) {
  POINTS(2);
  for (const Case& on : cases()) {
    for (const std::int32_t p : {1, 2, 5}) {
      for (const std::int32_t m : {1, 2, 9}) {
        for (const bool overlapped : {true, false}) {
          const double expected = takes(p, m, on, overlapped);
          ASSERT_DOUBLE_EQ(
              forwards_time(p, m, on.stage_time, on.line, on.bytes, overlapped),
              expected)
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
}

TEST(LeastBandwidth, IsWhereTheLinkTakesAsLongAsTheStage) {
  POINTS(1);
  for (const double bytes : {512.0, 4096.0}) {
    for (const double stage_time : {0.5, 2.0, 8.0}) {
      const double least = bytes / stage_time;
      const double yours = least_bandwidth(bytes, stage_time);
      ASSERT_DOUBLE_EQ(yours, least)
          << "Messages of " << figure(bytes) << " bytes, stages of "
          << figure(stage_time) << " s: on a link of " << figure(yours)
          << " bytes/s a message takes " << figure(bytes / yours)
          << " s. Re-read chapter 04, \"Break-even\".";
    }
  }
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

std::string in_words(const std::vector<std::int32_t>& held) {
  std::string words;
  for (const std::int32_t count : held) {
    words += (words.empty() ? "" : ", ") + std::to_string(count);
  }
  return words;
}

constexpr double kStage = 6;  // a third of it, and sums of that, are exact
const std::vector<double> kMessages = {0, 1, 3, 4, 6, 7, 13};

std::vector<std::int32_t> all_held(std::int32_t devices, double message) {
  std::vector<std::int32_t> held;
  held.reserve(static_cast<std::size_t>(devices));
  for (std::int32_t s = 0; s < devices; ++s) {
    held.push_back(held_to_hide(s, devices, kStage, message));
  }
  return held;
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

TEST(HeldToHide, KeepsEveryStageBusy) {
  POINTS(2);
  for (const double message : kMessages) {
    for (std::int32_t p = 1; p <= 4; ++p) {
      const auto held = all_held(p, message);
      const std::string size = std::to_string(p) + " stages of " + figure(kStage) +
                               " s, messages of " + figure(message) +
                               " s, and stages that hold " + in_words(held) + ": ";
      ASSERT_TRUE(can_run(held))
          << size << "a stage cannot hold more than the one before it hands on, and "
          << "needs 1 at least. Re-read chapter 04, \"In flight\".";
      const double interval = interval_holding(held, kStage, message);
      ASSERT_NEAR(interval, kStage, 1e-9)
          << size << "a micro-batch leaves every " << figure(interval)
          << " s: some stage waits for a gradient that is still under way. An "
             "activation goes there and a gradient comes back. Re-read chapter 04, "
             "\"In flight\".";
    }
  }
}

TEST(HeldToHide, HoldsNoMoreThanItMust) {
  POINTS(1);
  for (const double message : kMessages) {
    for (std::int32_t p = 1; p <= 4; ++p) {
      const auto held = all_held(p, message);
      ASSERT_TRUE(can_run(held)) << "stages that hold " << in_words(held)
                                 << " cannot run. Re-read chapter 04, \"In flight\".";
      for (std::size_t s = 0; s + 1 < held.size(); ++s) {
        std::vector<std::int32_t> fewer = held;
        --fewer[s];
        if (!can_run(fewer)) continue;
        ASSERT_GT(interval_holding(fewer, kStage, message), kStage + 1e-9)
            << p << " stages of " << figure(kStage) << " s, messages of "
            << figure(message) << " s: you let the stages hold " << in_words(held)
            << ", and stage " << s << " could hold one less. Re-read chapter 04, \"In "
            << "flight\".";
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
