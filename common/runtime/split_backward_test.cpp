// Faults that others had once input and weight gradients ran apart, each as a test of
// its kind.
#include <gtest/gtest.h>

#include "runtime/slots.hpp"
#include "runtime/small_training.hpp"
#include "schedule/lower.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

class SplitBackward : public RuntimeTest {
 protected:
  std::string one_device(std::int32_t micro_batches) {
    return train_small(*platform_of(1), generated("gpipe", 1, micro_batches, 1), {},
                       {23})
        .digest;
  }
};

using enum ActionKind;

/// Two stages. The last one runs its input gradients in the order given, and only then
/// sends them, in order of the micro-batches.
Schedule gradients_sent_late(const std::vector<std::int32_t>& order) {
  const auto m = static_cast<std::int32_t>(order.size());
  Schedule schedule;
  schedule.name = "sent late";
  schedule.placement = one_stage_per_device(2);
  schedule.micro_batches = m;
  schedule.rows.resize(2);
  const auto add = [&](std::size_t device, ActionKind kind, std::int32_t k) {
    schedule.rows[device].push_back({{kind, 0, static_cast<std::int32_t>(device), k}});
  };
  for (std::int32_t k = 0; k < m; ++k) {
    add(0, Forward, k);
    add(0, SendActivation, k);
    add(1, ReceiveActivation, k);
    add(1, Forward, k);
  }
  for (const std::int32_t k : order) add(1, InputGradient, k);
  for (std::int32_t k = 0; k < m; ++k) {
    add(1, SendGradient, k);
    add(0, ReceiveGradient, k);
    add(0, InputGradient, k);
  }
  for (const std::size_t device : {0U, 1U}) {
    for (std::int32_t k = 0; k < m; ++k) add(device, WeightGradient, k);
    add(device, Update, m - 1);
  }
  return schedule;
}

TEST_F(SplitBackward, SendsEachInputGradientAndNotTheNewest) {
  for (const std::vector<std::int32_t>& order :
       {std::vector<std::int32_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0, 3}, {3, 0, 2, 4, 1}}) {
    const Schedule schedule = gradients_sent_late(order);
    ASSERT_TRUE(verify(schedule).empty()) << verify(schedule).front().reason;
    for (const std::int32_t buffers : {0, 1, 2}) {
      ExecutorOptions options;
      options.buffers = buffers;
      EXPECT_EQ(train_small(*platform_of(2), schedule, options, {23}).digest,
                one_device(schedule.micro_batches))
          << "first " << order.front() << " of " << order.size();
    }
  }
}

TEST_F(SplitBackward, TakesMessagesLongBeforeTheyAreUsed) {
  // All activations are received in one group, before the first is used.
  Schedule schedule = gradients_sent_late({0, 1, 2, 3});
  Row late;
  Row first;
  for (const Entry& entry : schedule.rows[1]) {
    const bool receives = entry.action.kind == ReceiveActivation;
    (receives ? first : late).push_back({entry.action, receives});
  }
  first.back().with_next = false;
  first.insert(first.end(), late.begin(), late.end());
  schedule.rows[1] = first;
  ASSERT_TRUE(verify(schedule).empty());
  EXPECT_EQ((*plan_stages(schedule, 0))[1].inputs.buffers, 4);
  ExecutorOptions options;
  options.buffers = 0;
  const Trained trained = train_small(*platform_of(2), schedule, options, {23});
  EXPECT_EQ(trained.digest, one_device(4));
  EXPECT_EQ(trained.measured_bytes, trained.planned_bytes);
}

struct Buffers {
  std::vector<std::int32_t> inputs, slots, inner, output_gradients, messages;
  bool operator==(const Buffers&) const = default;
};

Buffers buffers_of(const Schedule& schedule) {
  Buffers all;
  const auto plans = plan_stages(lower(schedule), 1);
  for (const StagePlan& plan : *plans) {
    all.inputs.push_back(plan.inputs.buffers);
    all.slots.push_back(plan.activations.buffers);
    all.inner.push_back(plan.inner_gradients.buffers);
    all.output_gradients.push_back(plan.output_gradients.buffers);
    all.messages.push_back(plan.input_gradients.buffers + plan.outputs.buffers);
  }
  return all;
}

TEST_F(SplitBackward, KeepsWhatWeightGradientsNeedForASFewAsTheScheduleHolds) {
  for (const auto* name : {"zb-h1", "zb-h2", "zb-v", "v-half", "v-min", "dualpipe"}) {
    for (const std::int32_t p : {2, 4, 8}) {
      const Buffers few = buffers_of(generated(name, p, 4 * p, 1));
      EXPECT_EQ(buffers_of(generated(name, p, 8 * p, 1)), few) << name << " p=" << p;
      EXPECT_EQ(buffers_of(generated(name, p, 8 * p, 3)), few) << name << " p=" << p;
    }
  }
}

TEST_F(SplitBackward, FreesWhatTheLossNeedsWithItsMicroBatch) {
  for (const std::int32_t m : {1, 4, 17}) {
    const auto plans = *plan_stages(lower(generated("1f1b", 4, m, 1)), 1);
    // Its logits are in the slot. An input is in use, and the next one comes.
    EXPECT_EQ(plans.back().activations.buffers, 1);
    EXPECT_EQ(plans.back().inputs.buffers, std::min(m, 2));
    EXPECT_EQ(plans.back().output_gradients.buffers, 1);
    EXPECT_EQ(plans.back().inner_gradients.buffers, 1);
  }
}

}  // namespace
}  // namespace pipeline
