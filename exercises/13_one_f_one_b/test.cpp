#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

/// One device, one micro-batch, fewer micro-batches than devices, as many, and more.
std::vector<PipelineSize> sizes() {
  std::vector<PipelineSize> all;
  for (const std::int32_t p : {1, 2, 3, 4, 7}) {
    for (const std::int32_t m : {1, 2, 3, 4, 6, 9}) all.push_back({p, m});
  }
  return all;
}

Schedule student_schedule(PipelineSize size) {
  return step_of("1f1b", size, /*training=*/true, [size](std::int32_t s) {
    return one_f_one_b_row(s, size.devices, size.micro_batches);
  });
}

/// The most that a row holds at once, counted along it.
std::int32_t held_by(const Row& row) {
  std::int32_t held = 0;
  std::int32_t most = 0;
  for (const Entry& entry : row) {
    held += entry.action.kind == ActionKind::Forward ? 1 : -1;
    most = std::max(most, held);
  }
  return most;
}

TEST(WarmUp, FillsTheStagesBehind) {
  POINTS(1);
  for (std::int32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(warm_up(s, 4, 8), 3 - s)
        << "On 4 devices " << 3 - s << " stages lie behind stage " << s
        << ", and each can hold one micro-batch before a gradient is due. Re-read "
           "chapter 13, \"Warm-up\".";
  }
}

void expect_warm_up(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const std::int32_t ahead = warm_up(s, size.devices, size.micro_batches);
      ASSERT_LE(ahead, size.micro_batches)
          << size.name() << "stage " << s << " warms up with " << ahead
          << " forwards, more than there are. Re-read chapter 13, \"Warm-up\".";
      ASSERT_GE(ahead, std::min(size.devices - 1 - s, size.micro_batches))
          << size.name() << "stage " << s
          << " could warm up with more. Re-read chapter 13, \"Warm-up\".";
    }
  }
}

TEST(WarmUp, NeverBeginsMoreThanThereAre) {
  POINTS(1);
  expect_warm_up(sizes());
}

void expect_rows_that_run(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    const Schedule schedule = student_schedule(size);
    ASSERT_EQ(first_fault(schedule), "")
        << size.name() << "device 0 does " << in_words(as_written(schedule.rows[0]))
        << ". " << each_action_once(size)
        << ", and no row may wait for another in a circle. Re-read chapter "
           "13, \"Warm-up\".";
  }
}

TEST(OneFOneBRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  expect_rows_that_run(sizes());
}

void expect_backwards_in_order(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row row = one_f_one_b_row(s, size.devices, size.micro_batches);
      ASSERT_EQ(order_of(row, ActionKind::Backward), first_to_last(size.micro_batches))
          << size.name() << "stage " << s << " does " << in_words(row)
          << ": the oldest micro-batch goes back first. Re-read chapter 13, \"One "
             "forward, one backward\".";
    }
  }
}

TEST(OneFOneBRow, RunsTheBackwardsInTheOrderOfTheMicroBatches) {
  POINTS(1);
  expect_backwards_in_order(sizes());
}

void expect_held_by_rows(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row row = one_f_one_b_row(s, size.devices, size.micro_batches);
      const std::int32_t bound = std::min(size.devices - s, size.micro_batches);
      ASSERT_EQ(held_by(row), bound)
          << size.name() << "stage " << s << " does " << in_words(row)
          << " and so holds " << held_by(row)
          << " micro-batches at once, where 1F1B holds " << bound
          << ". Re-read chapter 13, \"What it holds\".";
    }
  }
}

TEST(OneFOneBRow, HoldsNoMoreMicroBatchesThanStagesFromHereToTheEnd) {
  POINTS(2);
  expect_held_by_rows(sizes());
}

void expect_ticks(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    const auto ticks = ticks_of(student_schedule(size));
    ASSERT_TRUE(ticks.has_value()) << size.name() << ticks.error().what;
    const std::int32_t bound = 3 * (size.micro_batches + size.devices - 1);
    ASSERT_EQ(*ticks, bound)
        << size.name() << "with forwards of 1 and backwards of 2 ticks your step takes "
        << *ticks << ", and 1F1B, like GPipe, takes " << bound
        << ": a device with a shorter warm-up waits for gradients. Re-read chapter 13, "
           "\"The same time\".";
  }
}

TEST(OneFOneBRow, TakesNotATickMoreThanItMust) {
  POINTS(2);
  expect_ticks(sizes());
}

void expect_most_in_flight(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    for (std::int32_t s = 0; s < size.devices; ++s) {
      // Held against 1F1B itself and not against the student's row.
      const std::int32_t held = std::min(size.devices - s, size.micro_batches);
      ASSERT_EQ(most_in_flight(s, size.devices, size.micro_batches), held)
          << size.name() << "when stage " << s << " begins its first backward it holds "
          << held
          << ": the warm-up and one more, if there are so many. Re-read chapter "
          << "13, \"What it holds\".";
    }
  }
}

TEST(MostInFlight, IsWhatTheRowHolds) {
  POINTS(1);
  expect_most_in_flight(sizes());
}

// --- Drawn inputs: see classroom/draw.hpp

/// Fewer micro-batches than devices, and more.
std::vector<PipelineSize> drawn_sizes() {
  Draw draw;
  std::vector<PipelineSize> all = draw_sizes(draw, 3, {10, 2}, {24, 9});
  for (const PipelineSize size : draw_sizes(draw, 4, {5, 10}, {16, 60}))
    all.push_back(size);
  return all;
}

TEST(WarmUp, HoldsForDrawnSizesToo) {
  POINTS(1);
  expect_warm_up(drawn_sizes());
}

TEST(OneFOneBRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  const std::vector<PipelineSize> some = drawn_sizes();
  expect_rows_that_run(some);
  expect_backwards_in_order(some);
  expect_held_by_rows(some);
  expect_ticks(some);
}

TEST(MostInFlight, HoldsForDrawnSizesToo) {
  POINTS(1);
  expect_most_in_flight(drawn_sizes());
}

}  // namespace
}  // namespace pipeline
