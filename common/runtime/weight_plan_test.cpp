#include "runtime/weight_plan.hpp"

#include <gtest/gtest.h>

#include "runtime/small_training.hpp"
#include "schedule/lower.hpp"

namespace pipeline {
namespace {

WeightPlan plan_of(const Schedule& schedule, std::int32_t stage,
                   std::int32_t copy = 0) {
  auto plan = plan_weights(schedule, weight_versions(schedule), stage, copy);
  if (!plan) {
    ADD_FAILURE() << plan.error().what;
    return {};
  }
  return *plan;
}

std::vector<std::int32_t> targets(const WeightPlan& plan) {
  std::vector<std::int32_t> all;
  for (const WeightPlan::Update& update : plan.updates) all.push_back(update.to);
  return all;
}

TEST(WeightPlan, OfASynchronousScheduleUpdatesInPlace) {
  for (const auto* name : {"gpipe", "1f1b", "interleaved", "zb-h2", "dualpipe"}) {
    const Schedule schedule = generated(name, 4, 8, 3);
    for (std::int32_t copy = 0; copy < schedule.placement.copies(); ++copy) {
      for (std::int32_t s = 0; s < schedule.stages(); ++s) {
        const WeightPlan plan = plan_of(schedule, s, copy);
        EXPECT_EQ(plan.buffers, 1) << name;
        EXPECT_EQ(targets(plan), (std::vector<std::int32_t>{0, 0, 0})) << name;
      }
    }
  }
}

TEST(WeightPlan, OfPipeDreamKeepsAVersionUntilItsLastBackward) {
  const WeightPlan plan = plan_of(generated("pipedream", 4, 2, 4), 0);
  EXPECT_EQ(plan.buffers, 4);
  EXPECT_EQ(plan.buffer_of, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 2, 3, 0}));
  // No micro-batch uses what the last updates leave, and they stay in place.
  EXPECT_EQ(targets(plan), (std::vector<std::int32_t>{1, 2, 3, 0, 1, 1, 1, 1}));
}

TEST(WeightPlan, HoldsAsManyVersionsAsThePapersSay) {
  for (const std::int32_t p : {1, 2, 4, 7}) {
    for (std::int32_t s = 0; s < p; ++s) {
      EXPECT_EQ(plan_of(generated("pipedream", p, 4, 6), s).buffers, p - s);
      EXPECT_EQ(plan_of(generated("pipedream-vertical-sync", p, 4, 6), s).buffers, p);
      EXPECT_EQ(plan_of(generated("pipedream-2bw", p, p, 6), s).buffers, 2);
    }
  }
}

TEST(WeightPlan, IsWhatTheVersionsOfTheScheduleSay) {
  for (const auto* name : {"pipedream", "pipedream-vertical-sync", "pipedream-2bw"}) {
    const Schedule schedule = lower(generated(name, 5, 6, 4));
    const WeightVersions versions = weight_versions(schedule);
    for (std::int32_t s = 0; s < 5; ++s) {
      EXPECT_EQ(plan_of(schedule, s).buffers,
                versions.most_kept[static_cast<std::size_t>(s)])
          << name << " stage " << s;
    }
  }
}

TEST(WeightPlan, NeverWritesOverAVersionThatIsStillToBeUsed) {
  for (const auto* name : {"pipedream", "pipedream-vertical-sync", "pipedream-2bw"}) {
    const Schedule schedule = generated(name, 4, 4, 5);
    const WeightVersions versions = weight_versions(schedule);
    for (std::int32_t s = 0; s < 4; ++s) {
      const WeightPlan plan = plan_of(schedule, s);
      std::vector<std::int32_t> holds(static_cast<std::size_t>(plan.buffers), -1);
      holds[0] = 0;
      std::int32_t newest = 0;
      for (const Entry& entry : schedule.rows[static_cast<std::size_t>(s)]) {
        const Action& action = entry.action;
        if (action.kind == ActionKind::Update) {
          const WeightPlan::Update& update =
              plan.updates[static_cast<std::size_t>(newest)];
          ASSERT_EQ(holds[static_cast<std::size_t>(update.from)], newest);
          holds[static_cast<std::size_t>(update.to)] = ++newest;
          continue;
        }
        const auto k = static_cast<std::size_t>(action.micro_batch);
        ASSERT_EQ(holds[static_cast<std::size_t>(plan.buffer_of[k])],
                  versions.of(s, action.micro_batch).forward)
            << name << " stage " << s << " micro-batch " << k;
      }
    }
  }
}

TEST(WeightPlan, RefusesToMixTheGradientsOfTwoUpdates) {
  Schedule schedule = generated("pipedream", 2, 1, 4);
  // F0 F1 B0 U F2 B1 U …: the second backward before the first update.
  std::swap(schedule.rows[0][3], schedule.rows[0][5]);
  std::swap(schedule.rows[0][3], schedule.rows[0][4]);
  const auto plan = plan_weights(schedule, weight_versions(schedule), 0, 0);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what,
            "micro-batch 1 on stage 0 adds its gradient to that of another update");
}

TEST(WeightPlan, RefusesAVersionThatIsNotMadeYet) {
  Schedule schedule = generated("pipedream-2bw", 1, 1, 3);
  // F0 B0 U F1 B1 U F2 B2 U: the third forward, by update 0, at the very start.
  std::rotate(schedule.rows[0].begin(), schedule.rows[0].begin() + 6,
              schedule.rows[0].begin() + 7);
  const auto plan = plan_weights(schedule, weight_versions(schedule), 0, 0);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what,
            "micro-batch 2 on stage 0 uses version 1 of its weights, which is not made "
            "yet");
}

}  // namespace
}  // namespace pipeline
