#include "runtime/stage_buffers.hpp"

#include "schedule/parts.hpp"

namespace pipeline {
namespace {

Pool make_pool(Device& device, const PoolPlan& plan, std::size_t item_bytes) {
  Pool pool{plan, item_bytes, {}, {}, {}};
  if (pool.bytes() > 0) pool.memory = Buffer(device, pool.bytes());
  for (std::int32_t b = 0; b < plan.buffers; ++b) {
    pool.filled.push_back(device.make_event());
    pool.freed.push_back(device.make_event());
  }
  return pool;
}

/// Null where the part has no buffer in this pool.
float* place_in(const Pool& pool, std::int32_t part) {
  if (pool.use(part).buffer < 0 || pool.item_bytes == 0) return nullptr;
  return pool.floats_of(part);
}

}  // namespace

StageBuffers::StageBuffers(Device& device, const Stage& of, const StagePlan& plan,
                           const LargestParts& largest)
    : stage(&of),
      layout(of, largest.samples * largest.slice),
      inputs(make_pool(device, plan.inputs, layout.input_bytes)),
      activations(make_pool(device, plan.activations, layout.slot_bytes)),
      outputs(make_pool(device, plan.outputs, layout.output_bytes)),
      output_gradients(make_pool(device, plan.output_gradients, layout.output_bytes)),
      inner_gradients(make_pool(device, plan.inner_gradients, layout.inner_bytes)),
      input_gradients(make_pool(device, plan.input_gradients, layout.input_bytes)),
      caches(make_pool(
          device, plan.caches,
          of.cache_floats(largest.samples, largest.positions) * sizeof(float))),
      not_finite(device, of.layers.size() * sizeof(std::int32_t)),
      weight_plan(plan.weights),
      weight_log(plan.weights.buffers,
                 static_cast<std::int32_t>(plan.weights.buffer_of.size())) {
  for (std::size_t part = 0; part < plan.inputs.uses.size(); ++part) {
    recomputed.push_back(is_recomputed(plan, static_cast<std::int32_t>(part)));
  }
  for (std::int32_t buffer = 1; buffer < weight_plan.buffers; ++buffer) {
    older_weights.emplace_back(device, of.parameter_count * sizeof(float));
  }
}

std::size_t StageBuffers::bytes() const {
  return inputs.bytes() + activations.bytes() + outputs.bytes() +
         output_gradients.bytes() + inner_gradients.bytes() + input_gradients.bytes() +
         caches.bytes() + not_finite.region().bytes +
         older_weights.size() * stage->parameter_count * sizeof(float);
}

std::vector<std::unique_ptr<StageBuffers>> allocate_stages(
    PlacedNetwork& network, const std::vector<StagePlan>& plans,
    const Schedule& lowered, const LargestParts& largest) {
  const Parts parts(lowered);
  std::vector<std::unique_ptr<StageBuffers>> stages;
  for (std::size_t s = 0; s < plans.size(); ++s) {
    const Stage& stage = network.stages()[s];
    stages.push_back(std::make_unique<StageBuffers>(
        network.platform().device(stage.device), stage, plans[s], largest));
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    StageBuffers& here = *stages[s];
    for (std::int32_t k = 0; k < parts.count(); ++k) {
      const std::int32_t micro_batch =
          parts.action(ActionKind::Forward, 0, k).micro_batch;
      MicroBatchData data;
      data.number = micro_batch;
      data.weights =
          here.weights(
                  here.weight_plan.buffer_of[static_cast<std::size_t>(micro_batch)])
              .floats();
      data.cache = place_in(here.caches, micro_batch);
      data.not_finite = reinterpret_cast<std::int32_t*>(here.not_finite.region().data);
      data.input = place_in(here.inputs, k);
      data.slot = place_in(here.activations, k);
      data.passing_slot = place_in(here.activations,
                                   static_cast<std::int32_t>(passing_use(plans[s], k)));
      data.output = place_in(here.outputs, k);
      data.output_gradient = place_in(here.output_gradients, k);
      data.inner = place_in(here.inner_gradients, k);
      data.input_gradient = place_in(here.input_gradients, k);
      // A neighbour on the same device: no message, but straight into its buffer.
      if (data.output == nullptr && !here.stage->last) {
        data.output = place_in(stages[s + 1]->inputs, k);
      }
      if (data.input_gradient == nullptr && !here.stage->first) {
        data.input_gradient = place_in(stages[s - 1]->output_gradients, k);
      }
      here.data.push_back(data);
    }
  }
  return stages;
}

}  // namespace pipeline
