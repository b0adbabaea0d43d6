#include "runtime/slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"

namespace pipeline {
namespace {

std::vector<StagePlan> plan(std::string_view name, Shape shape,
                            std::int32_t buffers = 2) {
  auto plans = plan_stages(lower(*generate(name, {shape})), buffers);
  if (!plans) {
    ADD_FAILURE() << plans.error().what;
    return {};
  }
  return *plans;
}

std::vector<std::int32_t> buffers_of(const PoolPlan& pool) {
  std::vector<std::int32_t> buffers;
  for (const PoolPlan::Use& use : pool.uses) buffers.push_back(use.buffer);
  return buffers;
}

TEST(Slots, AreThePeakOf1F1BAndInputsOneMore) {
  const auto plans = plan("1f1b", {4, 8});
  for (std::int32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(plans[static_cast<std::size_t>(s)].activations.buffers, 4 - s);
    EXPECT_EQ(plans[static_cast<std::size_t>(s)].inputs.buffers, 4 - s + 1);
  }
}

TEST(Slots, AreOneForEachMicroBatchOfGPipe) {
  const auto one_step = plan("gpipe", {3, 5});
  const auto three_steps = plan("gpipe", {3, 5, 3});
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(one_step[s].activations.buffers, 5);
    EXPECT_EQ(three_steps[s].activations.buffers, 5);
    EXPECT_EQ(one_step[s].inputs.buffers, 5);  // a sixth would never be used
    EXPECT_EQ(three_steps[s].inputs.buffers, 6);
  }
}

TEST(Inputs, TakeTheBufferThatWasFreeForLongest) {
  // Forward-only holds one at a time, and takes turns so that the next input can come.
  const auto plans = plan("forward", {2, 5});
  EXPECT_EQ(buffers_of(plans[1].inputs), (std::vector<std::int32_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(plans[1].inputs.uses[1].previous, -1);
  EXPECT_EQ(plans[1].inputs.uses[4].previous, 2);
  EXPECT_EQ(plans[1].activations.buffers, 1);
}

TEST(Slots, AreNeverSharedByMicroBatchesThatAreHeldTogether) {
  // Stage 0 of 1F1B holds k until B(k): F(k+p) comes after it.
  const auto plans = plan("1f1b", {3, 9});
  const auto slots = buffers_of(plans[0].activations);
  const auto inputs = buffers_of(plans[0].inputs);
  ASSERT_EQ(inputs.size(), 9U);
  for (std::size_t k = 0; k + 1 < inputs.size(); ++k) {
    for (std::size_t j = k + 1; j < std::min(k + 3, inputs.size()); ++j) {
      EXPECT_NE(slots[k], slots[j]) << k << " and " << j;
      EXPECT_NE(inputs[k], inputs[j]) << k << " and " << j;
    }
  }
}

TEST(MessageBuffers, AreThoseInFlightAndTheOneBeingMade) {
  for (const std::int32_t buffers : {0, 1, 2, 3}) {
    const auto plans = plan("gpipe", {2, 7}, buffers);
    EXPECT_EQ(plans[0].outputs.buffers, buffers + 1);
    EXPECT_EQ(plans[1].input_gradients.buffers, buffers + 1);
    EXPECT_EQ(plans[1].outputs.buffers, 0);  // the last stage sends no activation
    EXPECT_EQ(plans[0].input_gradients.buffers, 0);
  }
}

TEST(MessageBuffers, AreNotNeededBetweenStagesOfOneDevice) {
  Schedule schedule = *gpipe({2, 4});
  schedule.placement = {1, {0, 0}};
  Row row;
  for (std::int32_t k = 0; k < 4; ++k) {
    for (std::int32_t s = 0; s < 2; ++s)
      row.push_back({{ActionKind::Forward, 0, s, k}});
  }
  for (std::int32_t k = 0; k < 4; ++k) {
    for (std::int32_t s = 1; s >= 0; --s) {
      row.push_back({{ActionKind::Backward, 0, s, k}});
    }
  }
  schedule.rows = {row};
  const auto plans = plan_stages(lower(schedule), 2);
  ASSERT_TRUE(plans);
  EXPECT_EQ((*plans)[0].outputs.buffers, 0);
  EXPECT_EQ((*plans)[1].inputs.buffers, 4);  // filled by stage 0 itself: none more
  EXPECT_EQ((*plans)[0].output_gradients.buffers, 1);
}

TEST(GradientBuffers, AreTheOneInUseAndTheOneThatComes) {
  const auto plans = plan("1f1b", {2, 6});
  EXPECT_EQ(plans[0].output_gradients.buffers, 2);
  EXPECT_EQ(plans[1].output_gradients.buffers, 1);  // its own, of the loss
  EXPECT_EQ(plans[0].inner_gradients.buffers, 1);
}

TEST(Slots, RefuseRowsThatUseWhatIsNotThere) {
  Schedule schedule = lower(*gpipe({2, 2}));
  std::swap(schedule.rows[1][0].action, schedule.rows[1][1].action);
  const auto plans = plan_stages(schedule, 2);
  ASSERT_FALSE(plans);
  EXPECT_EQ(plans.error().what,
            "device 1 cannot run 1F0 where it stands: what it needs is not there");
}

}  // namespace
}  // namespace pipeline
