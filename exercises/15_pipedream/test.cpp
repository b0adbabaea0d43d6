#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/versions.hpp"

namespace pipeline {
namespace {

/// One device, one micro-batch, fewer micro-batches than devices, and many more.
std::vector<PipelineSize> sizes() {
  std::vector<PipelineSize> all;
  for (const std::int32_t p : {1, 2, 3, 4, 7}) {
    for (const std::int32_t m : {1, 2, 5, 12}) all.push_back({p, m});
  }
  return all;
}

/// A run of rows: each micro-batch is a step, and none waits for the one before.
Schedule run_of(PipelineSize size, std::vector<Row> rows) {
  Schedule schedule;
  schedule.name = "pipedream";
  schedule.placement = one_stage_per_device(size.devices);
  schedule.micro_batches = 1;
  schedule.steps = size.micro_batches;
  schedule.weights = WeightPolicy::Stashed;
  schedule.rows = std::move(rows);
  return schedule;
}

Schedule student_run(PipelineSize size) {
  std::vector<Row> rows;
  rows.reserve(static_cast<std::size_t>(size.devices));
  for (std::int32_t s = 0; s < size.devices; ++s) {
    rows.push_back(pipedream_row(s, size.devices, size.micro_batches));
  }
  return run_of(size, std::move(rows));
}

/// How many updates stand before each forward of PipeDream, counted along its rows.
std::int32_t updates_before(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batch) {
  std::int32_t updates = 0;
  // A stage has at most as many micro-batches under way as stages from it to the end.
  for (std::int32_t begun = devices - stage; begun <= micro_batch; ++begun) ++updates;
  return updates;
}

void expect_rows_that_run(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    const Schedule schedule = student_run(size);
    ASSERT_EQ(first_fault(schedule), "")
        << size.name() << "device 0 does " << in_words(schedule.rows[0]) << ". "
        << each_action_once(size)
        << ", with an update behind each backward. Re-read chapter 15, \"No flush\".";
  }
}

TEST(PipedreamRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  expect_rows_that_run(sizes());
}

void expect_updates(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    const Schedule schedule = student_run(size);
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row& row = schedule.rows[static_cast<std::size_t>(s)];
      ASSERT_EQ(order_of(row, ActionKind::Backward), first_to_last(size.micro_batches))
          << size.name() << "stage " << s << " does " << in_words(row)
          << ": the oldest micro-batch goes back first.";
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].action.kind != ActionKind::Backward) continue;
        const std::int32_t k = row[i].action.micro_batch;
        const bool updates = i + 1 < row.size() && row[i + 1] == update_of(s, k);
        ASSERT_TRUE(updates) << size.name() << "stage " << s << " does "
                             << in_words(row) << ", and no update stands behind B" << k
                             << ". Re-read chapter 15, \"No flush\".";
      }
    }
  }
}

TEST(PipedreamRow, UpdatesRightBehindEachBackward) {
  POINTS(1);
  expect_updates(sizes());
}

void expect_ticks(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    const auto ticks = ticks_of(student_run(size));
    ASSERT_TRUE(ticks.has_value()) << size.name() << ticks.error().what;
    const std::int32_t bound = 3 * (size.micro_batches + size.devices - 1);
    ASSERT_EQ(*ticks, bound)
        << size.name() << "with forwards of 1 and backwards of 2 ticks your run takes "
        << *ticks << ", and one that never runs empty takes " << bound
        << ". Re-read chapter 15, \"No flush\".";
  }
}

TEST(PipedreamRow, TakesNotATickMoreThanItMust) {
  POINTS(2);
  expect_ticks(sizes());
}

void expect_versions_of_rows(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    const PipelineSize size = {p, 3 * p};
    const Schedule schedule = student_run(size);
    ASSERT_EQ(first_fault(schedule), "") << size.name() << "the rows cannot run.";
    const WeightVersions versions = weight_versions(schedule);
    for (std::int32_t s = 0; s < p; ++s) {
      const std::int32_t kept = versions.most_kept[static_cast<std::size_t>(s)];
      ASSERT_EQ(kept, p - s)
          << size.name() << "stage " << s << " does "
          << in_words(schedule.rows[static_cast<std::size_t>(s)]) << " and so keeps "
          << kept << " versions, where PipeDream keeps " << p - s
          << ": it begins micro-batches too early or too late. Re-read chapter 15, "
             "\"Versions\".";
    }
  }
}

TEST(PipedreamRow, KeepsAVersionForEachStageFromHereToTheEnd) {
  POINTS(1);
  expect_versions_of_rows({1, 2, 3, 4, 7});
}

void expect_version_used(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      for (std::int32_t k = 0; k < size.micro_batches; ++k) {
        const std::int32_t expected = updates_before(s, size.devices, k);
        ASSERT_EQ(version_used(s, size.devices, k), expected)
            << size.name() << "when stage " << s << " begins micro-batch " << k
            << ", it has made " << expected << " updates, and you say "
            << version_used(s, size.devices, k)
            << ". Re-read chapter 15, \"Versions\".";
      }
    }
  }
}

TEST(VersionUsed, IsHowManyUpdatesStandBeforeTheForward) {
  POINTS(2);
  expect_version_used(sizes());
}

void expect_versions_kept(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    for (std::int32_t s = 0; s < p; ++s) {
      ASSERT_EQ(versions_kept(s, p), p - s)
          << "On " << p << " devices stage " << s << " has " << p - s
          << " micro-batches under way, each with a version of its own. Re-read "
             "chapter 15, \"Versions\".";
    }
  }
}

TEST(VersionsKept, AreOneForEachMicroBatchUnderWay) {
  POINTS(1);
  expect_versions_kept({1, 2, 4, 7});
}

/// Version by version, with its own bookkeeping: what each micro-batch carries along.
std::vector<double> expected_versions(double start, double rate,
                                      const std::vector<double>& inputs,
                                      std::size_t late) {
  std::vector<double> carried(late, start);  // by the micro-batches under way
  std::vector<double> versions = {start};
  double newest = start;
  for (const double input : inputs) {
    carried.push_back(newest);
    newest -= rate * input * carried.front();
    carried.erase(carried.begin());
    versions.push_back(newest);
  }
  return versions;
}

TEST(TrainWithStash, OfAStageThatIsNotLateIsPlainDescent) {
  POINTS(1);
  const std::vector<double> inputs = {1.5, 0.5, 2.25, 1.25};
  const std::vector<double> expected = expected_versions(3, 0.1, inputs, 0);
  const std::vector<double> versions = train_with_stash(3, 0.1, inputs, 0);
  ASSERT_EQ(versions.size(), expected.size())
      << "4 inputs make 4 updates, and so 5 versions with the first.";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(versions[i], expected[i], 1e-12)
        << "The versions should be " << listed(expected) << ", not " << listed(versions)
        << ": each is the one before it less rate times input times that weight.";
  }
}

void expect_stashed(double start, double rate, const std::vector<double>& inputs,
                    const std::vector<std::int32_t>& lates) {
  for (const std::int32_t late : lates) {
    const auto expected =
        expected_versions(start, rate, inputs, static_cast<std::size_t>(late));
    const std::vector<double> versions = train_with_stash(start, rate, inputs, late);
    ASSERT_EQ(versions.size(), expected.size())
        << inputs.size()
        << " inputs make as many updates, and so one version more, with "
        << "the first.";
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(versions[i], expected[i], 1e-12)
          << late << " late, the versions should be " << listed(expected) << ", not "
          << listed(versions)
          << ": the gradient is that of the version which the micro-batch has used, "
             "and "
             "it is taken from the newest. Re-read chapter 15, \"What is stale\".";
    }
  }
}

TEST(TrainWithStash, TakesTheGradientAtTheStashedVersionAndChangesTheNewest) {
  POINTS(2);
  expect_stashed(2, 0.2, {1.5, 0.5, 2.25, 1.25, 0.75, 1.75, 0.25}, {1, 2, 3, 9});
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(PipedreamRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  const auto some = draw_sizes(draw, 6, {2, 13}, {16, 40});
  expect_rows_that_run(some);
  expect_updates(some);
  expect_ticks(some);
  expect_versions_of_rows({draw.between(8, 14)});
}

TEST(VersionUsed, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  expect_version_used(draw_sizes(draw, 6, {2, 13}, {16, 40}));
}

TEST(VersionsKept, HoldForDrawnDevicesToo) {
  POINTS(1);
  Draw draw;
  expect_versions_kept({draw.between(8, 20), draw.between(21, 60)});
}

TEST(TrainWithStash, HoldsForDrawnInputsToo) {
  POINTS(1);
  Draw draw;
  for (int i = 0; i < 6; ++i) {
    expect_stashed(draw.quarters(1, 5), 0.125, draw.quarters(draw.between(6, 12), 1, 3),
                   {0, draw.between(1, 4), draw.between(5, 11)});
  }
}

}  // namespace
}  // namespace pipeline
