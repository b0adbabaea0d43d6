#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

/// What every device holds, tick after tick, found by walking and not by a formula: in
/// each tick every micro-batch moves one device on, and the next one enters.
std::vector<std::vector<std::int32_t>> walk(std::int32_t devices,
                                            std::int32_t micro_batches) {
  std::vector<std::vector<std::int32_t>> ticks;
  std::vector<std::int32_t> now(static_cast<std::size_t>(devices), kIdle);
  std::int32_t next = 0;
  std::int32_t left = 0;
  while (left < micro_batches) {
    for (std::size_t d = now.size() - 1; d > 0; --d) now[d] = now[d - 1];
    now[0] = next < micro_batches ? next++ : kIdle;
    ticks.push_back(now);
    if (now.back() != kIdle) ++left;
  }
  return ticks;
}

std::string sizes(std::int32_t devices, std::int32_t micro_batches) {
  return "With " + std::to_string(devices) + " devices and " +
         std::to_string(micro_batches) + " micro-batches ";
}

std::string in_words(std::int32_t micro_batch) {
  return micro_batch == kIdle ? "idle" : "micro-batch " + std::to_string(micro_batch);
}

/// A student's answers as the picture of one device: "0 1 2 . ."
std::string row_of(std::int32_t device, std::int32_t micro_batches,
                   std::int32_t ticks) {
  std::string row;
  for (std::int32_t tick = 1; tick <= ticks; ++tick) {
    const std::int32_t running = running_at(device, micro_batches, tick);
    row += (tick == 1 ? "" : " ") + (running == kIdle ? "." : std::to_string(running));
  }
  return row;
}

TEST(TickCount, IsSixForThreeDevicesAndFourMicroBatches) {
  POINTS(1);
  EXPECT_EQ(tick_count(3, 4), 6) << "You say " << tick_count(3, 4)
                                 << ". Draw it: micro-batch 3 enters device 0 in tick "
                                    "4, crosses three devices and "
                                    "leaves after tick 6. Re-read chapter 01, \"Why\".";
}

void expect_walked_ticks(const std::vector<PipelineSize>& sizes_to_try) {
  for (const auto& [p, m] : sizes_to_try) {
    ASSERT_EQ(tick_count(p, m), static_cast<std::int64_t>(walk(p, m).size()))
        << sizes(p, m)
        << "tick_count is off. Device 0 is busy for as many ticks as there are "
           "micro-batches; how many more until the last one is out? Re-read chapter "
           "01, \"Why\".";
  }
}

TEST(TickCount, IsWhatWalkingThroughThePipelineTakes) {
  POINTS(2);
  expect_walked_ticks(sizes_up_to({12, 12}));
}

TEST(Utilisation, IsTwoThirdsForThreeDevicesAndFourMicroBatches) {
  POINTS(1);
  EXPECT_DOUBLE_EQ(utilisation(3, 4), 2.0 / 3.0)
      << "You say " << figure(utilisation(3, 4))
      << ". 3 devices have 6 ticks each, and each works in 4 of its 6. Re-read chapter "
         "01, \"Why\".";
}

void expect_share_of_cells(const std::vector<PipelineSize>& sizes_to_try) {
  for (const auto& [p, m] : sizes_to_try) {
    const auto ticks = walk(p, m);
    std::int32_t busy = 0;
    for (const auto& tick : ticks) {
      for (const std::int32_t running : tick) busy += running != kIdle;
    }
    const double cells = static_cast<double>(ticks.size()) * p;
    ASSERT_NEAR(utilisation(p, m), busy / cells, 1e-12)
        << sizes(p, m) << busy << " of the " << cells
        << " cells of the picture are filled. Utilisation is the filled ones over "
           "all "
           "of them. Re-read chapter 01, \"Why\".";
  }
}

TEST(Utilisation, CountsTheCellsOfThePicture) {
  POINTS(2);
  expect_share_of_cells(sizes_up_to({12, 12}));
}

/// The example of chapter 01 first, since its picture is known.
std::vector<PipelineSize> example_and_all_up_to(PipelineSize most) {
  std::vector<PipelineSize> sizes_to_try = sizes_up_to(most);
  sizes_to_try.insert(sizes_to_try.begin(), {3, 4});
  return sizes_to_try;
}

void expect_each_once(const std::vector<PipelineSize>& sizes_to_try) {
  for (const auto& [p, m] : sizes_to_try) {
    const std::int32_t enough = 2 * (p + m);
    for (std::int32_t d = 0; d < p; ++d) {
      std::vector<std::int32_t> runs(static_cast<std::size_t>(m), 0);
      for (std::int32_t tick = 1; tick <= enough; ++tick) {
        const std::int32_t running = running_at(d, m, tick);
        if (running == kIdle) continue;
        ASSERT_TRUE(running >= 0 && running < m)
            << sizes(p, m) << "device " << d << " runs " << in_words(running)
            << " in tick " << tick << ", which does not exist: they go from 0 to "
            << m - 1 << ". A device that is done is idle. Re-read chapter 01, \"Why\".";
        ++runs[static_cast<std::size_t>(running)];
      }
      for (std::int32_t k = 0; k < m; ++k) {
        ASSERT_EQ(runs[static_cast<std::size_t>(k)], 1)
            << sizes(p, m) << "device " << d << " must run micro-batch " << k
            << " in exactly one tick. Its row reads: " << row_of(d, m, enough)
            << ". Re-read chapter 01, \"Why\".";
      }
    }
  }
}

TEST(RunningAt, RunsEveryMicroBatchOnceOnEveryDevice) {
  POINTS(1);
  expect_each_once(example_and_all_up_to({9, 9}));
}

void expect_wave(const std::vector<PipelineSize>& sizes_to_try) {
  for (const auto& [p, m] : sizes_to_try) {
    const auto ticks = walk(p, m);
    for (std::int32_t d = 0; d < p; ++d) {
      for (std::size_t t = 0; t < ticks.size(); ++t) {
        const std::int32_t expected = ticks[t][static_cast<std::size_t>(d)];
        const auto tick = static_cast<std::int32_t>(t) + 1;
        ASSERT_EQ(running_at(d, m, tick), expected)
            << sizes(p, m) << "device " << d << " in tick " << tick << " should be "
            << in_words(expected) << ", not " << in_words(running_at(d, m, tick))
            << ". Its row reads: "
            << row_of(d, m, static_cast<std::int32_t>(ticks.size()))
            << ". A device can only take what the one before it finished a tick ago. "
               "Re-read chapter 01, \"Why\".";
      }
    }
  }
}

TEST(RunningAt, MovesTheWaveOneDeviceOnInEachTick) {
  POINTS(2);
  expect_wave(example_and_all_up_to({9, 9}));
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(TickCount, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  expect_walked_ticks(draw_sizes(draw, 40, {2, 13}, {40, 120}));
}

TEST(Utilisation, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  expect_share_of_cells(draw_sizes(draw, 40, {2, 13}, {40, 120}));
}

TEST(RunningAt, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  const auto sizes_to_try = draw_sizes(draw, 3, {2, 10}, {12, 40});
  expect_each_once(sizes_to_try);
  expect_wave(sizes_to_try);
}

}  // namespace
}  // namespace pipeline
