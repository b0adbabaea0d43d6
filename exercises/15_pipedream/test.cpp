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

TEST(PipedreamRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  for (const PipelineSize size : sizes()) {
    const Schedule schedule = student_run(size);
    ASSERT_EQ(first_fault(schedule), "")
        << size.name() << "device 0 does "
        << row_in_words(pipedream_row(0, size.devices, size.micro_batches)) << ". "
        << each_action_once(size)
        << ", with an update behind each backward. Re-read chapter 15, \"No flush\".";
  }
}

TEST(PipedreamRow, UpdatesRightBehindEachBackward) {
  POINTS(1);
  for (const PipelineSize size : sizes()) {
    const Schedule schedule = student_run(size);
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row& row = schedule.rows[static_cast<std::size_t>(s)];
      ASSERT_EQ(order_of(row, ActionKind::Backward), first_to_last(size.micro_batches))
          << size.name() << "stage " << s << " does " << row_in_words(row)
          << ": the oldest micro-batch goes back first.";
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].action.kind != ActionKind::Backward) continue;
        const std::int32_t k = row[i].action.micro_batch;
        const bool updates = i + 1 < row.size() && row[i + 1] == update_of(s, k);
        ASSERT_TRUE(updates) << size.name() << "stage " << s << " does "
                             << row_in_words(row) << ", and no update stands behind B"
                             << k << ". Re-read chapter 15, \"No flush\".";
      }
    }
  }
}

TEST(PipedreamRow, TakesNotATickMoreThanItMust) {
  POINTS(2);
  for (const PipelineSize size : sizes()) {
    const auto ticks = ticks_of(student_run(size));
    ASSERT_TRUE(ticks.has_value()) << size.name() << ticks.error().what;
    const std::int32_t bound = 3 * (size.micro_batches + size.devices - 1);
    ASSERT_EQ(*ticks, bound)
        << size.name() << "with forwards of 1 and backwards of 2 ticks your run takes "
        << *ticks << ", and one that never runs empty takes " << bound
        << ". Re-read chapter 15, \"No flush\".";
  }
}

TEST(PipedreamRow, KeepsAVersionForEachStageFromHereToTheEnd) {
  POINTS(1);
  for (const std::int32_t p : {1, 2, 3, 4, 7}) {
    const PipelineSize size = {p, 3 * p};
    const WeightVersions versions = weight_versions(student_run(size));
    for (std::int32_t s = 0; s < p; ++s) {
      const std::int32_t kept = versions.most_kept[static_cast<std::size_t>(s)];
      ASSERT_EQ(kept, p - s)
          << size.name() << "stage " << s << " does "
          << row_in_words(pipedream_row(s, p, 3 * p)) << " and so keeps " << kept
          << " versions, where PipeDream keeps " << p - s
          << ": it begins micro-batches too early or too late. Re-read chapter 15, "
             "\"Versions\".";
    }
  }
}

TEST(VersionUsed, IsHowManyUpdatesStandBeforeTheForward) {
  POINTS(2);
  for (const PipelineSize size : sizes()) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      for (std::int32_t k = 0; k < size.micro_batches; ++k) {
        const std::int32_t expected = updates_before(s, size.devices, k);
        ASSERT_EQ(version_used(s, size.devices, k), expected)
            << size.name() << "when stage " << s << " begins micro-batch " << k
            << ", it has made " << expected
            << " updates. Re-read chapter 15, \"Versions\".";
      }
    }
  }
}

TEST(VersionsKept, AreOneForEachMicroBatchUnderWay) {
  POINTS(1);
  for (const std::int32_t p : {1, 2, 4, 7}) {
    for (std::int32_t s = 0; s < p; ++s) {
      ASSERT_EQ(versions_kept(s, p), p - s)
          << "On " << p << " devices stage " << s << " has " << p - s
          << " micro-batches under way, each with a version of its own. Re-read "
             "chapter 15, \"Versions\".";
    }
  }
}

std::string in_words(const std::vector<double>& values) {
  std::string words;
  for (const double value : values) {
    words += (words.empty() ? "" : ", ") + std::to_string(value);
  }
  return words;
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
        << "The versions should be " << in_words(expected) << ", not "
        << in_words(versions)
        << ": each is the one before it less rate times input times that weight.";
  }
}

TEST(TrainWithStash, TakesTheGradientAtTheStashedVersionAndChangesTheNewest) {
  POINTS(2);
  const std::vector<double> inputs = {1.5, 0.5, 2.25, 1.25, 0.75, 1.75, 0.25};
  for (const std::int32_t late : {1, 2, 3, 9}) {
    const auto expected =
        expected_versions(2, 0.2, inputs, static_cast<std::size_t>(late));
    const std::vector<double> versions = train_with_stash(2, 0.2, inputs, late);
    ASSERT_EQ(versions.size(), expected.size())
        << "7 inputs make 7 updates, and so 8 versions with the first.";
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(versions[i], expected[i], 1e-12)
          << late << " late, the versions should be " << in_words(expected) << ", not "
          << in_words(versions)
          << ": the gradient is that of the version which the micro-batch has used, "
             "and "
             "it is taken from the newest. Re-read chapter 15, \"What is stale\".";
    }
  }
}

}  // namespace
}  // namespace pipeline
