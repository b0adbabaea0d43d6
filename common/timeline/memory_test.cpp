#include "timeline/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"

namespace pipeline {
namespace {

using Chunks = std::vector<std::int32_t>;

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches,
              std::int32_t steps = 1) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches, .steps = steps};
  return *generate(name, {shape});
}

Schedule one_device(Row row, std::int32_t micro_batches) {
  Schedule schedule = make("1f1b", 1, micro_batches);
  schedule.rows = {std::move(row)};
  return schedule;
}

TEST(Memory, HoldsAllMicroBatchesUnderGPipe) {
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 1; m <= 12; ++m) {
      EXPECT_EQ(memory(make("gpipe", p, m)).peak_chunks,
                Chunks(static_cast<std::size_t>(p), m));
    }
  }
}

TEST(Memory, HoldsAtMostPMinusSMicroBatchesUnderOneFOneB) {
  EXPECT_EQ(memory(make("1f1b", 4, 8)).peak_chunks, (Chunks{4, 3, 2, 1}));
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 1; m <= 12; ++m) {
      const Memory held = memory(make("1f1b", p, m, 2));
      for (std::int32_t s = 0; s < p; ++s) {
        EXPECT_EQ(held.peak_chunks[static_cast<std::size_t>(s)], std::min(p - s, m));
        EXPECT_EQ(held.peak[static_cast<std::size_t>(s)], std::min(p - s, m));
      }
    }
  }
}

TEST(Memory, HoldsOneMicroBatchUnderModelParallelismAndInForwardsAlone) {
  EXPECT_EQ(memory(make("model-parallel", 3, 5)).peak_chunks, (Chunks{1, 1, 1}));
  EXPECT_EQ(memory(make("forward", 3, 5)).peak_chunks, (Chunks{1, 1, 1}));
}

TEST(Memory, IsTheSameForLoweredRows) {
  EXPECT_EQ(memory(lower(make("1f1b", 4, 8))).peak_chunks, (Chunks{4, 3, 2, 1}));
}

TEST(Memory, LetsTheForwardOfACellAllocateBeforeTheBackwardFrees) {
  const Action f0{ActionKind::Forward, 0, 0, 0};
  const Action f1{ActionKind::Forward, 0, 0, 1};
  const Action b0{ActionKind::Backward, 0, 0, 0};
  const Action b1{ActionKind::Backward, 0, 0, 1};
  EXPECT_EQ(memory(one_device({{f0}, {b0}, {f1}, {b1}}, 2)).peak_chunks, Chunks{1});
  EXPECT_EQ(memory(one_device({{f0}, {f1, true}, {b0}, {b1}}, 2)).peak_chunks,
            Chunks{2});
  EXPECT_EQ(memory(one_device({{f0}, {b0, true}, {f1}, {b1}}, 2)).peak_chunks,
            Chunks{2});
}

TEST(Memory, IsHeldUntilTheWeightGradientOrInPartUntilTheInputGradient) {
  const Row row = {
      {{ActionKind::Forward, 0, 0, 0}},       {{ActionKind::InputGradient, 0, 0, 0}},
      {{ActionKind::Forward, 0, 0, 1}},       {{ActionKind::InputGradient, 0, 0, 1}},
      {{ActionKind::Forward, 0, 0, 2}},       {{ActionKind::WeightGradient, 0, 0, 0}},
      {{ActionKind::WeightGradient, 0, 0, 1}}};
  const Schedule schedule = one_device(row, 3);
  EXPECT_EQ(memory(schedule).peak, std::vector<double>{3});
  const Memory partly = memory(schedule, {.freed_by_input_gradient = 0.75});
  EXPECT_EQ(partly.peak, std::vector<double>{1.5});  // 0.25 + 0.25 + 1
  EXPECT_EQ(partly.peak_chunks, Chunks{3});
  const Memory wholly = memory(schedule, {.freed_by_input_gradient = 1});
  EXPECT_EQ(wholly.peak, std::vector<double>{1});
  EXPECT_EQ(wholly.peak_chunks, Chunks{1});
}

TEST(Memory, IsCountedPerStageThatAMicroBatchVisits) {
  // Stages 0 and 2 on device 0, stage 1 on device 1; two micro-batches in flight.
  Schedule schedule = make("gpipe", 3, 2);
  schedule.placement = {.devices = 2, .device_of_stage = {0, 1, 0}};
  Row merged;
  for (std::size_t half = 0; half < 2; ++half) {
    for (const std::size_t s : {half == 0 ? 0U : 2U, half == 0 ? 2U : 0U}) {
      const Row& row = schedule.rows[s];
      for (std::size_t i = 0; i < 2; ++i) merged.push_back(row[half * 2 + i]);
    }
  }
  schedule.rows = {merged, schedule.rows[1]};
  const Memory held = memory(schedule, {.activation_bytes = {100, 10, 1}});
  EXPECT_EQ(held.peak_chunks, (Chunks{4, 2}));
  EXPECT_EQ(held.peak, (std::vector<double>{2, 2}));
  EXPECT_EQ(held.peak_bytes, (std::vector<double>{202, 20}));
}

TEST(Memory, OfTwoWaySchedulesIsWhatTheirAuthorsSay) {
  // p+1 with two copies, of which a micro-batch visits one; 2p+1 folded into a V.
  for (std::int32_t p = 2; p <= 8; p += 2) {
    const auto devices = static_cast<std::size_t>(p);
    for (const std::int32_t m : {2 * p, 2 * p + 2, 5 * p}) {
      const Memory two_way = memory(make("dualpipe", p, m));
      EXPECT_EQ(two_way.peak_chunks, Chunks(devices, p + 1));
      EXPECT_EQ(two_way.peak, std::vector<double>(devices, p + 1));
      const Memory folded = memory(make("dualpipe-v", p, m));
      EXPECT_EQ(folded.peak_chunks, Chunks(devices, 2 * p + 1));
      EXPECT_EQ(folded.peak, std::vector<double>(devices, p + 0.5));
    }
  }
}

TEST(Memory, OfASliceIsItsShareOfAMicroBatch) {
  // One device; micro-batch 0 in one piece, 1 in three slices.
  Schedule schedule = make("gpipe", 1, 2);
  schedule.slices = {1, 3};
  const auto entry = [](ActionKind kind, std::int16_t slice, std::int32_t k) {
    return Entry{{kind, slice, 0, k}};
  };
  schedule.rows = {{entry(ActionKind::Forward, 0, 1), entry(ActionKind::Forward, 1, 1),
                    entry(ActionKind::Forward, 2, 1), entry(ActionKind::Backward, 2, 1),
                    entry(ActionKind::Forward, 0, 0), entry(ActionKind::Backward, 0, 0),
                    entry(ActionKind::Backward, 1, 1),
                    entry(ActionKind::Backward, 0, 1)}};
  const Memory held = memory(schedule, {.activation_bytes = {30}});
  EXPECT_EQ(held.peak_chunks, Chunks{3});
  EXPECT_DOUBLE_EQ(held.peak[0], 2.0 / 3 + 1);
  EXPECT_EQ(held.peak_bytes, std::vector<double>{50});
}

TEST(Memory, OfManySlicesAddsUpExactly) {
  const Schedule schedule = *generate(
      "token-slices", {.shape = {.devices = 3, .micro_batches = 4}, .slices = {10}});
  EXPECT_EQ(memory(schedule).peak, (std::vector<double>(3, 4)));
  EXPECT_EQ(memory(schedule).peak_chunks, Chunks(3, 40));
}

TEST(Memory, IsGivenInBytesWhereSizesAreKnown) {
  EXPECT_TRUE(memory(make("1f1b", 3, 8)).peak_bytes.empty());
  EXPECT_EQ(memory(make("1f1b", 3, 8), {.activation_bytes = {64}}).peak_bytes,
            (std::vector<double>{192, 128, 64}));
}

}  // namespace
}  // namespace pipeline
