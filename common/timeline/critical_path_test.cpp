#include "timeline/critical_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/text.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches,
              std::int32_t steps = 1) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches, .steps = steps};
  return *generate(name, {shape});
}

/// "F0@0 device" : the action, where, and what it waited for; messages as "0>1 link".
std::vector<std::string> in_words(const std::vector<CriticalStep>& steps) {
  std::vector<std::string> words;
  for (const CriticalStep& step : steps) {
    std::string text =
        step.is_message()
            ? std::to_string(step.device) + ">" + std::to_string(step.to_device)
            : to_text(step.action, false) + "@" + std::to_string(step.device);
    words.push_back(text + " " + std::string(to_text(step.waited_for)));
  }
  return words;
}

void expect_gapless(const std::vector<CriticalStep>& steps, double makespan) {
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().waited_for, WaitReason::Nothing);
  double sum = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    sum += steps[i].span.length();
    if (i > 0) {
      EXPECT_EQ(steps[i].span.start, steps[i - 1].span.end) << i;
    }
  }
  EXPECT_EQ(sum, makespan);
}

TEST(CriticalPath, GoesDownTheDevicesThenAlongTheLast) {
  const Schedule schedule = make("forward", 3, 3);
  // Where F1 waits for its device and its message alike, it follows the device.
  EXPECT_EQ(in_words(critical_path(schedule, *simulate(schedule, Costs{}))),
            (std::vector<std::string>{"F0@0 nothing", "F0@1 message", "F0@2 message",
                                      "F1@2 device", "F2@2 device"}));
}

TEST(CriticalPath, RunsThroughTheSlowestStage) {
  Costs costs;
  costs.stages = {{.forward = 1}, {.forward = 5}, {.forward = 1}};
  const Schedule schedule = make("forward", 3, 3);
  EXPECT_EQ(in_words(critical_path(schedule, *simulate(schedule, costs))),
            (std::vector<std::string>{"F0@0 nothing", "F0@1 message", "F1@1 device",
                                      "F2@1 device", "F2@2 message"}));
}

TEST(CriticalPath, ShowsMessagesThatTakeTime) {
  Costs costs;
  costs.within_node.latency = 2;
  const Schedule schedule = make("forward", 2, 2);
  const std::vector<std::string> expected = {"F0@0 nothing", "0>1 producer",
                                             "F0@1 message", "F1@1 device"};
  const Timeline recorded = *simulate(schedule, costs, {.record_transfers = true});
  EXPECT_EQ(in_words(critical_path(schedule, recorded)), expected);
  EXPECT_EQ(in_words(critical_path(schedule, *simulate(schedule, costs))), expected);
  const Schedule lowered = lower(schedule);
  EXPECT_EQ(in_words(critical_path(lowered, *simulate(lowered, costs))), expected);
}

TEST(CriticalPath, NamesTheLinkThatMessagesQueueFor) {
  Costs costs;
  costs.within_node = {.latency = 1, .bandwidth = 1};
  costs.message_bytes = {3};
  const Schedule schedule = make("forward", 2, 3);
  const Timeline timeline = *simulate(schedule, costs, {.record_transfers = true});
  const std::vector<CriticalStep> steps = critical_path(schedule, timeline);
  EXPECT_EQ(in_words(steps),
            (std::vector<std::string>{"F0@0 nothing", "0>1 producer", "0>1 link",
                                      "0>1 link", "F2@1 message"}));
  expect_gapless(steps, 1 + 3 * 3 + 1 + 1);
}

TEST(CriticalPath, AddsUpToTheMakespanWhateverTheCosts) {
  std::mt19937 random(11);
  const auto number = [&](int least, int most) {
    return static_cast<double>(std::uniform_int_distribution(least, most)(random));
  };
  for (int i = 0; i < 100; ++i) {
    const auto p = std::uniform_int_distribution(1, 6)(random);
    const auto m = std::uniform_int_distribution(1, 8)(random);
    Costs costs;
    costs.stages.clear();
    for (std::int32_t s = 0; s < p; ++s) {
      costs.stages.push_back({.forward = number(1, 9),
                              .input_gradient = number(1, 9),
                              .weight_gradient = number(0, 9),
                              .update = number(0, 2)});
    }
    costs.within_node = {number(0, 4), number(0, 2)};
    costs.between_nodes = {number(2, 9), number(0, 1)};
    costs.devices_per_node = 2;
    costs.message_bytes = {number(0, 6)};
    for (const Generator& generator : generators()) {
      const Shape shape{
          .devices = p, .micro_batches = m, .steps = 2, .global_norm = i % 2 == 0};
      const Expected<Schedule> schedule = generate(generator.name, {.shape = shape});
      if (!schedule) continue;  // its algorithm forbids the shape
      Costs here = costs;
      while (std::cmp_less(here.stages.size(), schedule->stages())) {
        here.stages.push_back({.forward = number(1, 9), .reduce = number(0, 3)});
      }
      SCOPED_TRACE(generator.name);
      const Timeline timeline = *simulate(*schedule, here, {.record_transfers = true});
      expect_gapless(critical_path(*schedule, timeline),
                     measure(*schedule, timeline).makespan);
    }
  }
}

/// One stage in two copies, a micro-batch each; device 1 takes longer by a recompute.
Schedule two_copies_that_meet() {
  Schedule schedule;
  schedule.name = "two copies";
  schedule.placement = {
      .devices = 2, .device_of_stage = {0}, .device_of_second_copy = {1}};
  schedule.micro_batches = 2;
  schedule.rows = {{{{ActionKind::Forward, 0, 0, 0}},
                    {{ActionKind::Backward, 0, 0, 0}},
                    {{ActionKind::Reduce, 0, 0, 0}},
                    {{ActionKind::Update, 0, 0, 0}}},
                   {{{ActionKind::Forward, 0, 0, 1}},
                    {{ActionKind::Recompute, 0, 0, 1}},
                    {{ActionKind::Backward, 0, 0, 1}},
                    {{ActionKind::Reduce, 0, 0, 1}},
                    {{ActionKind::Update, 0, 0, 1}}}};
  return schedule;
}

TEST(CriticalPath, CrossesToTheDeviceThatAReduceWaitedFor) {
  const Schedule schedule = two_copies_that_meet();
  Costs costs;
  costs.stages = {{.update = 1}};
  const auto path = [&] { return critical_path(schedule, *simulate(schedule, costs)); };
  // F R B on device 1, and only then the reduce, which takes no time, on device 0.
  EXPECT_EQ(in_words(path()),
            (std::vector<std::string>{"F1@1 nothing", "R1@1 device", "B1@1 device",
                                      "AR0@0 meeting", "U0@0 device"}));
  expect_gapless(path(), 5);
  costs.stages[0].reduce = 3;
  expect_gapless(path(), 8);
}

TEST(CriticalPath, CrossesToTheDeviceThatANormWaitedFor) {
  // 1F1B ends on device 0, and device 1 begins its second step only then.
  const Shape shape{.devices = 2, .micro_batches = 2, .steps = 2, .global_norm = true};
  const Schedule schedule = *generate("1f1b", {.shape = shape});
  Costs costs;
  costs.stages = {{}, {.update = 4}};
  const auto steps = critical_path(schedule, *simulate(schedule, costs));
  EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const CriticalStep& step) {
    return step.action.kind == ActionKind::ReduceNorm && step.device == 1 &&
           step.waited_for == WaitReason::Meeting;
  }));
}

TEST(CriticalPath, FollowsWhatCameLastOnAMeasuredTimeline) {
  // Nothing starts exactly when it could: F1 on device 1 had its device from 2.2 on,
  // but its message only from 3.9 on.
  const Schedule schedule = lower(make("forward", 2, 2));
  Timeline timeline{.level = Level::HostThreads, .spans = {}, .transfers = {}};
  for (const Row& row : schedule.rows) timeline.spans.emplace_back(row.size());
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      const Action& action = schedule.rows[d][i].action;
      const bool first = action.micro_batch == 0;
      Span& span = timeline.spans[d][i];
      if (is_communication(action.kind)) {
        span = first ? Span{1.0, 1.1} : Span{3.7, 3.9};
      } else if (d == 0) {
        span = first ? Span{0, 1} : Span{1.2, 3.6};
      } else {
        span = first ? Span{1.2, 2.2} : Span{4.0, 5.0};
      }
    }
  }
  EXPECT_EQ(in_words(critical_path(schedule, timeline)),
            (std::vector<std::string>{"F0@0 nothing", "F1@0 device", "0>1 producer",
                                      "F1@1 message"}));
}

TEST(CriticalPath, IsEmptyForATimelineOfOtherRows) {
  const Timeline other = *simulate(make("forward", 2, 3), Costs{});
  EXPECT_TRUE(critical_path(make("forward", 2, 4), other).empty());
}

}  // namespace
}  // namespace pipeline
