#include "schedule/versions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/generate.hpp"

namespace pipeline {
namespace {

using Counts = std::vector<std::int32_t>;

Schedule make(std::string_view name, std::int32_t p, std::int32_t m,
              std::int32_t steps = 1) {
  return *generate(name, {{.devices = p, .micro_batches = m, .steps = steps}});
}

/// What a formula says, for every stage and micro-batch.
template <typename Formula>
void expect_versions(const Schedule& schedule, Formula formula) {
  const WeightVersions versions = weight_versions(schedule);
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    for (std::int32_t k = 0; k < schedule.total_micro_batches(); ++k) {
      ASSERT_EQ(versions.of(s, k), formula(s, k))
          << schedule.name << ", stage " << s << ", micro-batch " << k;
    }
  }
}

TEST(WeightVersions, OfPipeDreamArePMinusSOnStageS) {
  EXPECT_EQ(weight_versions(make("pipedream", 4, 8)).most_kept, (Counts{4, 3, 2, 1}));
  EXPECT_EQ(weight_versions(make("pipedream", 4, 8)).most_stale, (Counts{3, 2, 1, 0}));
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t m = 1; m <= 9; ++m) {
      const Schedule schedule = make("pipedream", p, m, 2);
      const WeightVersions versions = weight_versions(schedule);
      for (std::int32_t s = 0; s < p; ++s) {
        // A run of few micro-batches ends before there are as many: those in use
        // (version 0, and one for each forward beyond the first p-s), and the newest.
        const std::int32_t used = 1 + std::max(2 * m - (p - s), 0);
        EXPECT_EQ(versions.most_kept[static_cast<std::size_t>(s)],
                  std::min(p - s, used + 1));
      }
      // Stage s runs p-s micro-batches ahead of the updates.
      expect_versions(schedule, [p](std::int32_t s, std::int32_t k) {
        const std::int32_t version = std::max(k - (p - s) + 1, 0);
        return WeightUse{version, version, k};
      });
    }
  }
}

TEST(WeightVersions, WithVerticalSyncAreThoseOfTheFirstStageOnEveryStage) {
  // Every stage uses w(t-p+1), and keeps p versions for that.
  EXPECT_EQ(weight_versions(make("pipedream-vertical-sync", 4, 8)).most_kept,
            (Counts{4, 4, 4, 4}));
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t m = 1; m <= 9; ++m) {
      const Schedule schedule = make("pipedream-vertical-sync", p, m, 2);
      expect_versions(schedule, [p](std::int32_t, std::int32_t k) {
        const std::int32_t version = std::max(k - p + 1, 0);
        return WeightUse{version, version, k};
      });
      const WeightVersions versions = weight_versions(schedule);
      for (const std::int32_t stale : versions.most_stale) {
        EXPECT_EQ(stale, std::min(p - 1, 2 * m - 1));
      }
    }
  }
}

TEST(WeightVersions, OfTheDoubleBufferAreTwoAndOneStepOld) {
  for (std::int32_t p = 1; p <= 6; ++p) {
    // The algorithm wants m >= p.
    for (std::int32_t m = p; m <= 9; ++m) {
      const Schedule schedule = make("pipedream-2bw", p, m, 4);
      // w(t+1) = w(t) - g(w(t-1)): the gradient of step t is of w(t-1), and goes
      // into w(t).
      expect_versions(schedule, [m](std::int32_t, std::int32_t k) {
        const std::int32_t step = k / m;
        const std::int32_t version = std::max(step - 1, 0);
        return WeightUse{version, version, step};
      });
      const WeightVersions versions = weight_versions(schedule);
      EXPECT_EQ(versions.most_kept, Counts(static_cast<std::size_t>(p), 2));
      EXPECT_EQ(versions.most_stale, Counts(static_cast<std::size_t>(p), 1));
    }
  }
}

TEST(WeightVersions, OfSynchronousSchedulesAreOneAndNeverStale) {
  for (const Generator& generator : generators()) {
    for (const std::int32_t p : {1, 2, 4}) {
      const Request request{.shape = {.devices = p, .micro_batches = 8, .steps = 3}};
      const Expected<Schedule> schedule = generate(generator.name, request);
      if (!schedule || !schedule->training) continue;
      if (schedule->weights != WeightPolicy::Synchronous) continue;
      expect_versions(*schedule, [](std::int32_t, std::int32_t k) {
        return WeightUse{k / 8, k / 8, k / 8};
      });
      const WeightVersions versions = weight_versions(*schedule);
      const auto stages = static_cast<std::size_t>(schedule->stages());
      EXPECT_EQ(versions.most_kept, Counts(stages, 1)) << generator.name;
      EXPECT_EQ(versions.most_stale, Counts(stages, 0)) << generator.name;
    }
  }
}

TEST(WeightVersions, ComeFromTheRowsAlone) {
  // One device: the update of micro-batch 0 comes only after the forward of 2.
  Schedule schedule = make("pipedream", 1, 3);
  const auto entry = [](ActionKind kind, std::int32_t k) {
    return Entry{{kind, 0, 0, k}};
  };
  schedule.rows = {{entry(ActionKind::Forward, 0), entry(ActionKind::Forward, 1),
                    entry(ActionKind::Backward, 0), entry(ActionKind::Forward, 2),
                    entry(ActionKind::Update, 0), entry(ActionKind::Backward, 1),
                    entry(ActionKind::Update, 1), entry(ActionKind::Backward, 2),
                    entry(ActionKind::Update, 2)}};
  const WeightVersions stashed = weight_versions(schedule);
  EXPECT_EQ(stashed.of(0, 1), (WeightUse{0, 0, 1}));
  EXPECT_EQ(stashed.of(0, 2), (WeightUse{0, 0, 2}));
  EXPECT_EQ(stashed.most_kept, Counts{2});
  EXPECT_EQ(stashed.most_stale, Counts{2});
  // Without a stash the backward meets newer weights than the forward did.
  schedule.weights = WeightPolicy::Synchronous;
  EXPECT_EQ(weight_versions(schedule).of(0, 2), (WeightUse{0, 2, 2}));
}

TEST(WeightVersions, NameTheVersionOfAnAction) {
  const Schedule schedule = make("pipedream", 2, 4);
  const WeightVersions versions = weight_versions(schedule);
  EXPECT_EQ(versions.of({ActionKind::Forward, 0, 0, 3}), 2);
  EXPECT_EQ(versions.of({ActionKind::Backward, 0, 0, 3}), 2);
  EXPECT_EQ(versions.of({ActionKind::Update, 0, 0, 3}), 4);
  EXPECT_EQ(versions.of({ActionKind::Forward, 0, 1, 3}), 3);
  EXPECT_FALSE(versions.of({ActionKind::Reduce, 0, 0, 3}));
  EXPECT_FALSE(versions.of({ActionKind::Forward, 0, 2, 3}));
  EXPECT_FALSE(versions.of({ActionKind::Forward, 0, 0, 4}));
  EXPECT_FALSE(weight_versions(Schedule{}).of({ActionKind::Forward, 0, 0, 0}));
}

}  // namespace
}  // namespace pipeline
