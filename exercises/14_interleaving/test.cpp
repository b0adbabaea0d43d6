#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

struct Size {
  std::int32_t devices, chunks, micro_batches;

  std::string name() const {
    return std::to_string(devices) + " devices with " + std::to_string(chunks) +
           " stages each, " + std::to_string(micro_batches) + " micro-batches: ";
  }
};

/// One device, one chunk, one micro-batch; fewer micro-batches than devices, full
/// groups, and some left over.
std::vector<Size> sizes() {
  std::vector<Size> all;
  for (const std::int32_t p : {1, 2, 3, 4}) {
    for (const std::int32_t v : {1, 2, 3}) {
      for (const std::int32_t m : {1, 2, 3, 5, 7, 8, 12}) all.push_back({p, v, m});
    }
  }
  return all;
}

/// With the groups as they ought to be: what does not depend on the student's.
std::vector<std::int32_t> even_groups(const Size& size) {
  const std::int32_t groups = std::max(1, size.micro_batches / size.devices);
  std::vector<std::int32_t> sizes(static_cast<std::size_t>(groups),
                                  size.micro_batches / groups);
  for (std::int32_t i = 0; i < size.micro_batches % groups; ++i) {
    ++sizes[static_cast<std::size_t>(i)];
  }
  return sizes;
}

Schedule student_schedule(const Size& size) {
  Schedule schedule;
  schedule.name = "interleaved";
  schedule.placement = loop_placement(size.devices, size.chunks);
  schedule.micro_batches = size.micro_batches;
  for (std::int32_t d = 0; d < size.devices; ++d) {
    Row row = interleaved_row(d, size.devices, size.chunks, size.micro_batches);
    for (std::int32_t c = 0; c < size.chunks; ++c) {
      row.push_back(
          {{ActionKind::Update, 0, c * size.devices + d, size.micro_batches - 1}});
    }
    schedule.rows.push_back(std::move(row));
  }
  return schedule;
}

void expect_stages(const std::vector<Size>& some) {
  for (const Size& size : some) {
    std::int32_t stage = 0;
    for (std::int32_t chunk = 0; chunk < size.chunks; ++chunk) {
      for (std::int32_t device = 0; device < size.devices; ++device, ++stage) {
        ASSERT_EQ(stage_of(device, chunk, size.devices), stage)
            << size.name() << "chunk " << chunk << " of device " << device
            << " is stage " << stage
            << ": a micro-batch goes once around all devices before it comes back. "
               "Re-read chapter 14, \"Around and around\".";
      }
    }
  }
}

TEST(StageOf, GoesOnceAroundAllDevicesBeforeTheNextChunk) {
  POINTS(1);
  expect_stages(sizes());
}

void expect_whole_groups(const std::vector<Size>& some) {
  for (const Size& size : some) {
    const auto groups = groups_of(size.devices, size.micro_batches);
    ASSERT_EQ(std::accumulate(groups.begin(), groups.end(), std::int64_t{0}),
              size.micro_batches)
        << size.name() << "the groups must hold all of them. Re-read chapter 14, "
        << "\"Groups\".";
    ASSERT_EQ(groups.size(), even_groups(size).size())
        << size.name() << "a group needs " << size.devices
        << " micro-batches, one for each device, so " << even_groups(size).size()
        << " groups can be made. Re-read chapter 14, \"Groups\".";
  }
}

TEST(GroupsOf, HoldEveryMicroBatchAndAtLeastOneForEachDevice) {
  POINTS(1);
  expect_whole_groups(sizes());
}

void expect_even_groups(const std::vector<Size>& some) {
  for (const Size& size : some) {
    ASSERT_EQ(groups_of(size.devices, size.micro_batches), even_groups(size))
        << size.name()
        << "no two groups may differ by more than one micro-batch, and the larger ones "
           "come first: a small last group leaves devices idle. Re-read chapter 14, "
           "\"Groups\".";
  }
}

TEST(GroupsOf, AreAsEvenAsTheyGo) {
  POINTS(1);
  expect_even_groups(sizes());
}

void expect_warm_up(const std::vector<Size>& some) {
  for (const Size& size : some) {
    for (std::int32_t d = 0; d < size.devices; ++d) {
      const std::int32_t group = even_groups(size).front();
      const std::int32_t ahead =
          warm_up(d, size.devices, size.chunks, size.micro_batches, group);
      const std::int32_t all = size.chunks * size.micro_batches;
      ASSERT_LE(ahead, all) << size.name() << "device " << d << " warms up with "
                            << ahead << " forwards, more than there are. Re-read "
                            << "chapter 14, \"Warm-up\".";
      ASSERT_EQ(ahead,
                std::min(2 * (size.devices - 1 - d) + (size.chunks - 1) * group, all))
          << size.name() << "device " << d
          << ": two forwards for each device behind it, and a group of " << group
          << " for each chunk but the last. Re-read chapter 14, \"Warm-up\".";
    }
  }
}

TEST(WarmUp, IsThereAndBackAndTheOtherChunks) {
  POINTS(2);
  expect_warm_up(sizes());
}

void expect_rows_that_run(const std::vector<Size>& some) {
  for (const Size& size : some) {
    const Schedule schedule = student_schedule(size);
    ASSERT_EQ(first_fault(schedule), "")
        << size.name() << "device 0 does "
        << in_words(as_written(schedule.rows[0]), /*with_stages=*/true)
        << ". Each of its stages needs every forward and every backward once, and no "
           "row may wait for another in a circle. Re-read chapter 14, \"Groups\".";
  }
}

TEST(InterleavedRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  expect_rows_that_run(sizes());
}

void expect_held(const std::vector<Size>& some) {
  for (const Size& size : some) {
    const Schedule schedule = student_schedule(size);
    ASSERT_EQ(first_fault(schedule), "") << size.name() << "the rows cannot run.";
    const auto held = memory(schedule).peak_chunks;
    for (std::int32_t d = 0; d < size.devices; ++d) {
      const std::int32_t bound =
          std::min(2 * (size.devices - 1 - d) +
                       (size.chunks - 1) * even_groups(size).front() + 1,
                   size.chunks * size.micro_batches);
      ASSERT_EQ(held[static_cast<std::size_t>(d)], bound)
          << size.name() << "device " << d << " holds "
          << held[static_cast<std::size_t>(d)]
          << " activations of a stage at once, where it should hold " << bound
          << ". Re-read chapter 14, \"What it costs\".";
    }
  }
}

TEST(InterleavedRow, HoldsNoMoreThanTheWarmUpAndOne) {
  POINTS(1);
  expect_held(sizes());
}

void expect_small_bubble(const std::vector<Size>& some) {
  for (const Size& size : some) {
    if (size.micro_batches % size.devices != 0) continue;
    const auto ticks = ticks_of(student_schedule(size));
    ASSERT_TRUE(ticks.has_value()) << size.name() << ticks.error().what;
    const std::int32_t bound =
        3 * (size.micro_batches * size.chunks + size.devices - 1);
    ASSERT_EQ(*ticks, bound)
        << size.name() << "with forwards of 1 and backwards of 2 ticks your step takes "
        << *ticks << ", and an interleaved one takes " << bound
        << ": only the first stage of the last device waits, for p-1 forwards of one "
           "chunk. Re-read chapter 14, \"A v-th of the bubble\".";
  }
}

TEST(InterleavedRow, HasAVthOfTheBubble) {
  POINTS(2);
  expect_small_bubble(sizes());
}

// --- Drawn inputs: see classroom/draw.hpp

/// Full groups, some left over, and what comes.
std::vector<Size> drawn_sizes() {
  Draw draw;
  std::vector<Size> all;
  for (int i = 0; i < 3; ++i) {
    const std::int32_t devices = draw.between(5, 9);
    all.push_back({devices, draw.between(2, 5), draw.between(2, 30)});
    all.push_back({devices, draw.between(2, 5),
                   devices * draw.between(2, 3) + draw.between(2, devices - 1)});
    all.push_back({devices, draw.between(2, 5), devices * draw.between(1, 4)});
  }
  return all;
}

TEST(StageOf, HoldsForDrawnSizesToo) {
  POINTS(1);
  expect_stages(drawn_sizes());
}

TEST(GroupsOf, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Size> some;
  some.reserve(40);
  for (int i = 0; i < 40; ++i)
    some.push_back({draw.between(2, 12), 2, draw.between(13, 200)});
  expect_whole_groups(some);
  expect_even_groups(some);
}

TEST(WarmUp, HoldsForDrawnSizesToo) {
  POINTS(1);
  expect_warm_up(drawn_sizes());
}

TEST(InterleavedRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  const std::vector<Size> some = drawn_sizes();
  expect_rows_that_run(some);
  expect_held(some);
  expect_small_bubble(some);
}

}  // namespace
}  // namespace pipeline
