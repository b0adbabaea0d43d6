// The stash alone: one stage with n versions of its weights, a fixed input and a fixed
// gradient of its output. Three identical batches tell how many versions there are.
#include <gtest/gtest.h>

#include "runtime/small_training.hpp"
#include "runtime/stage_buffers.hpp"
#include "runtime/weight_plan.hpp"
#include "schedule/lower.hpp"

namespace pipeline {
namespace {

/// One stage that starts with n - 1 forwards, then runs one forward and one backward in
/// turn, as stage p - n of PipeDream does.
Schedule stage_with_versions(std::int32_t versions, std::int32_t batches) {
  Schedule schedule;
  schedule.name = "stash";
  schedule.placement = one_stage_per_device(1);
  schedule.micro_batches = 1;
  schedule.steps = batches;
  schedule.weights = WeightPolicy::Stashed;
  schedule.rows.resize(1);
  std::int32_t forward = 0;
  const auto add = [&](ActionKind kind, std::int32_t k) {
    schedule.rows[0].push_back({{kind, 0, 0, k}});
  };
  while (forward < std::min(versions - 1, batches)) {
    add(ActionKind::Forward, forward++);
  }
  for (std::int32_t k = 0; k < batches; ++k) {
    if (forward < batches) add(ActionKind::Forward, forward++);
    add(ActionKind::Backward, k);
    add(ActionKind::Update, k);
  }
  return schedule;
}

class Stash : public RuntimeTest {
 protected:
  /// Gradients of three identical batches, in the order of their backwards.
  std::vector<std::vector<float>> gradients(std::int32_t versions) {
    const auto platform = platform_of(1);
    const Network network = small_network(9);
    // The first of two stages: its output gradient comes from outside.
    Optimizer optimizer;
    optimizer.rate = 0.1F;
    optimizer.momentum = 0;
    auto placed = *PlacedNetwork::place(*platform, network, {0, 5, 9}, {1, {0, 0}},
                                        kSmallSeed, optimizer);
    const Stage& stage = placed->stage(0);
    const Schedule schedule = stage_with_versions(versions, 3);
    StagePlan plan = plan_stages(lower(schedule), 2)->front();
    constexpr std::int32_t kRows = 4;
    plan.outputs.buffers = 1;  // there is no next stage to send to
    plan.output_gradients.buffers = 1;
    StageBuffers buffers(platform->device(0), stage, plan, {kRows});

    Stream& stream = *placed->on(0).compute;
    std::vector<float> drawn(
        std::max(buffers.layout.input_bytes, buffers.layout.output_bytes) /
            sizeof(float),
        0.0F);
    Random random(5);
    for (float& value : drawn) value = static_cast<float>(2 * random.uniform() - 1);
    const auto fill = [&](Region region) {
      stream.copy(region,
                  {reinterpret_cast<std::byte*>(drawn.data()), region.bytes, nullptr});
    };
    fill(buffers.output_gradients.part(0, buffers.layout.output_bytes));

    std::vector<std::vector<float>> all;
    Compute* const on = placed->on(0).workspace.get();
    const StageLayout* const layout = &buffers.layout;
    for (const Entry& entry : schedule.rows[0]) {
      const auto k = static_cast<std::size_t>(entry.action.micro_batch);
      MicroBatchData data;
      data.rows = kRows;
      data.weights = buffers.weights(plan.weights.buffer_of[k]).floats();
      data.input = buffers.inputs.floats_of(entry.action.micro_batch);
      data.slot = buffers.activations.floats_of(entry.action.micro_batch);
      data.output = buffers.outputs.part(0, buffers.layout.output_bytes).floats();
      data.output_gradient =
          buffers.output_gradients.part(0, buffers.layout.output_bytes).floats();
      data.inner = buffers.inner_gradients.floats_of(entry.action.micro_batch);
      const WeightPlan::Update& update = plan.weights.updates[k];
      const UpdateData step = {buffers.weights(update.from).floats(),
                               buffers.weights(update.to).floats(), nullptr,
                               &placed->optimizer(), 0};
      switch (entry.action.kind) {
        case ActionKind::Forward:
          fill(buffers.inputs.part(buffers.inputs.use(entry.action.micro_batch).buffer,
                                   std::size_t{kRows} * 6 * sizeof(float)));
          stream.run(Work([=, d = &data](NativeStream native) {
            on->enter(native);
            stage_forward(*layout, *on, *d);
          }));
          break;
        case ActionKind::Backward:
          stream.run(Work([=, d = &data](NativeStream native) {
            on->enter(native);
            stage_backward(*layout, *on, *d);
          }));
          break;
        default:
          stream.run(Work([=, s = &stage, d = &step](NativeStream native) {
            on->enter(native);
            stage_update(*s, *on, *d);
          }));
          // Without momentum the velocity is the gradient.
          all.emplace_back(stage.parameter_count);
          stream.copy({reinterpret_cast<std::byte*>(all.back().data()),
                       stage.moments.region().bytes, nullptr},
                      stage.moments.region());
      }
      stream.synchronize();
    }
    return all;
  }
};

TEST_F(Stash, TellsItsVersionsByThreeIdenticalBatches) {
  const bool expected[3][2] = {{false, false}, {true, false}, {true, true}};
  for (std::int32_t versions = 1; versions <= 3; ++versions) {
    const auto g = gradients(versions);
    ASSERT_EQ(g.size(), 3U);
    EXPECT_EQ(g[0] == g[1], expected[versions - 1][0]) << versions << " versions";
    EXPECT_EQ(g[0] == g[2], expected[versions - 1][1]) << versions << " versions";
  }
}

TEST_F(Stash, HoldsThatManyBuffers) {
  for (std::int32_t versions = 1; versions <= 5; ++versions) {
    const Schedule schedule = stage_with_versions(versions, 12);
    EXPECT_EQ(plan_weights(schedule, weight_versions(schedule), 0, 0)->buffers,
              versions);
  }
}

}  // namespace
}  // namespace pipeline
