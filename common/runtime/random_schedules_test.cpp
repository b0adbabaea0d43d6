// Schedules that follow no plan: whatever order is valid trains what its own order
// says.
#include "schedule/random_schedules.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/reference_training.hpp"
#include "runtime/small_training.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/text.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

class RandomSchedules : public RuntimeTest {
 protected:
  /// One device, which adds the gradients of each stage in the order of its row.
  static std::vector<float> expected_for(Platform& platform, const Schedule& schedule,
                                         const std::vector<Batch>& batches) {
    const Network network = small_network();
    const LayerSplit split = *even_split(9, schedule.stages());
    ReferenceTraining reference(platform, network);
    Parameters weights = reference.start();
    for (std::int32_t step = 0; step < schedule.steps; ++step) {
      const Batch& batch = batches[static_cast<std::size_t>(step)];
      const auto parts = cut(batch, schedule.micro_batches);
      Parameters copies[2] = {reference.zeros(), reference.zeros()};
      for (const Row& row : schedule.rows) {
        for (const Entry& entry : row) {
          const auto [kind, slice, stage, k] = entry.action;
          const bool gives =
              kind == ActionKind::Backward || kind == ActionKind::WeightGradient;
          if (!gives || k / schedule.micro_batches != step) continue;
          const auto s = static_cast<std::size_t>(stage);
          reference.add_gradients(
              weights, parts[static_cast<std::size_t>(k % schedule.micro_batches)],
              1.0F / static_cast<float>(batch.rows), static_cast<std::size_t>(split[s]),
              static_cast<std::size_t>(split[s + 1]), copies[schedule.copy_of(k)]);
        }
      }
      for (std::size_t i = 0; schedule.placement.copies() == 2 && i < 9; ++i) {
        for (std::size_t j = 0; j < copies[0][i].size(); ++j) {
          copies[0][i][j] += copies[1][i][j];
        }
      }
      weights = reference.updated(weights, copies[0]);
    }
    return in_one(weights);
  }
};

bool is_synchronous_training(const Schedule& schedule) {
  return schedule.training && schedule.slices.empty() &&
         schedule.weights == WeightPolicy::Synchronous;
}

TEST_F(RandomSchedules, TrainWhatTheirOwnOrderSays) {
  const auto reference_platform = platform_of(1);
  const std::uint32_t draws = in_full_tier() ? 2000 : 120;
  std::int32_t executed = 0;
  std::int32_t of_two_copies = 0;
  for (std::uint32_t seed = 1; seed <= draws; ++seed) {
    test::Random random(seed);
    const Schedule schedule = test::random_schedule(random);
    if (!is_synchronous_training(schedule)) continue;
    ++executed;
    of_two_copies += schedule.placement.copies() - 1;
    std::vector<std::int32_t> rows = {23, 17};
    rows.resize(static_cast<std::size_t>(schedule.steps));
    ExecutorOptions options;
    options.buffers = static_cast<std::int32_t>(seed % 3);
    const auto platform = platform_of(schedule.devices());
    const Trained trained = train_small(*platform, schedule, options, rows);
    const SmallData data(23 * static_cast<std::int32_t>(rows.size()));
    ASSERT_EQ(trained.weights,
              expected_for(*reference_platform, schedule, data.batches(rows)))
        << "seed " << seed << "\n"
        << to_text(schedule);
    ASSERT_TRUE(trained.copies_agree) << "seed " << seed;
    ASSERT_EQ(trained.result.peak_live, memory(schedule).peak_chunks)
        << "seed " << seed << "\n"
        << to_text(schedule);
    ASSERT_EQ(trained.measured_bytes, trained.planned_bytes) << "seed " << seed;
  }
  EXPECT_GT(executed, static_cast<std::int32_t>(draws / 8));
  EXPECT_GT(of_two_copies, static_cast<std::int32_t>(draws / 20));
}

}  // namespace
}  // namespace pipeline
