#include "runtime/worker.hpp"

#include <algorithm>

#include "runtime/row_units.hpp"
#include "runtime/slots.hpp"
#include "runtime/wait_sites.hpp"

namespace pipeline {
namespace {

/// Bytes of a message between two stages: of the one that `stage` gets from the one
/// before it (and of its gradient), or of the one that it leaves to the next.
std::size_t message_bytes(const StageLayout& stage, std::int32_t rows, bool leaves) {
  return sizeof(float) *
         (leaves ? stage.output_floats(rows) : stage.input_floats(rows));
}

}  // namespace

Worker::Worker(Workplace& workplace, std::int32_t device)
    : at_(workplace),
      device_(device),
      row_(workplace.lowered.rows[static_cast<std::size_t>(device)]),
      compute_(*workplace.network.on(device).compute),
      copy_(*workplace.network.on(device).copy),
      workspace_(*workplace.network.on(device).workspace),
      live_(workplace.live[static_cast<std::size_t>(device)]) {}

void Worker::walk() {
  computations_ = 0;
  receives_ = 0;
  const bool all = for_each_unit(row_, [this](std::span<const Entry> unit) {
    if (is_communication(unit.front().action.kind)) return communicate(unit);
    return for_each_computation(
        unit, [this](const Action& action) { return compute(action); });
  });
  if (!all) return;
  keep_newest_weights();
  const std::lock_guard lock(at_.watchdog.mutex());
  at_.watchdog.finish(device_);
}

bool Worker::is_on_other_device(const Stage& stage, std::int32_t neighbour) const {
  const Placement& placement = at_.lowered.placement;
  return neighbour >= 0 && neighbour < placement.stages() &&
         placement.device_of(neighbour, stage.copy) != device_;
}

// --- Communication: post all of a group, then complete all of it

bool Worker::communicate(std::span<const Entry> group) {
  for (const Entry& entry : group) {
    const ActionKind kind = entry.action.kind;
    if (kind == ActionKind::SendActivation || kind == ActionKind::SendGradient) {
      post_send(entry.action);
    } else {
      post_receive(entry.action);
    }
  }
  if (!at_.transport.complete(device_)) return false;
  for (const Entry& entry : group) mark_arrival(entry.action);
  return true;
}

void Worker::post_send(const Action& action) {
  const StageBuffers& from = stage_of(action);
  const bool activation = action.kind == ActionKind::SendActivation;
  const Pool& pool = activation ? from.outputs : from.input_gradients;
  const std::int32_t part = part_of(action);
  const std::int32_t buffer = pool.use(part).buffer;
  const std::size_t bytes =
      message_bytes(from.layout, at_.batches.rows_of(part), activation);
  at_.transport.post_send(
      device_, {action, buffer, pool.part(buffer, bytes), &pool.filled_event(part)});
}

void Worker::post_receive(const Action& action) {
  const StageBuffers& to = stage_of(action);
  const bool activation = action.kind == ActionKind::ReceiveActivation;
  const Pool& pool = activation ? to.inputs : to.output_gradients;
  const std::int32_t part = part_of(action);
  const PoolPlan::Use& use = pool.use(part);
  if (use.previous >= 0) {
    copy_.wait(pool.freed_event(part), activation ? wait_site::kActivationSlotFree
                                                  : wait_site::kGradientBufferFree);
  }
  const std::size_t bytes =
      message_bytes(to.layout, at_.batches.rows_of(part), !activation);
  MarkPair& marks = at_.recorder.receive(device_, receives_++);
  at_.transport.post_receive(device_, {action, pool.part(use.buffer, bytes),
                                       marks.begin.get(), marks.end.get()});
}

void Worker::mark_arrival(const Action& action) {
  const StageBuffers& to = stage_of(action);
  if (action.kind == ActionKind::ReceiveActivation) {
    copy_.record(to.inputs.filled_event(part_of(action)));
  } else if (action.kind == ActionKind::ReceiveGradient) {
    copy_.record(to.output_gradients.filled_event(part_of(action)));
  }
}

// --- Computation: wait for what it reads and writes, run, say that it is done

bool Worker::compute(const Action& action) {
  StageBuffers& at = stage_of(action);
  switch (action.kind) {
    case ActionKind::Forward:
      forward(at, action);
      break;
    case ActionKind::Recompute:
      recompute(at, part_of(action));
      break;
    case ActionKind::Backward:
    case ActionKind::InputGradient:
      input_gradient(at, action);
      break;
    case ActionKind::WeightGradient:
      weight_gradient(at, part_of(action));
      break;
    case ActionKind::Reduce:
    case ActionKind::ReduceNorm:
      return collective(action);
    default:
      update(at, action.micro_batch);
  }
  return true;
}

void Worker::forward(StageBuffers& at, const Action& action) {
  const std::int32_t k = part_of(action);
  const std::int32_t s = at.stage->index;
  const bool sends = is_on_other_device(*at.stage, s + 1);
  MicroBatchData& data = at.data[static_cast<std::size_t>(k)];
  at_.batches.complete(k, at.stage->last, data);
  if (at.stage->first) {
    load_input(at, k);
    compute_.wait(at.inputs.filled_event(k), wait_site::kInputArrived);
  } else if (is_on_other_device(*at.stage, s - 1)) {
    compute_.wait(at.inputs.filled_event(k), wait_site::kActivationArrived);
  }
  if (sends && at.outputs.use(k).previous >= 0) {
    at_.transport.wait_until_taken(
        compute_, {ActionKind::SendActivation, action.slice, s, action.micro_batch},
        at.outputs.use(k).buffer);
  }
  run_marked(
      Work([layout = &at.layout, on = &workspace_, d = &data, live = &live_,
            keeps = at_.lowered.training && !at.recomputed[static_cast<std::size_t>(k)],
            log = &at.weight_log, k = action.micro_batch,
            weights =
                at.weight_plan.buffer_of[static_cast<std::size_t>(action.micro_batch)]](
               NativeStream stream) {
        log->forward(weights, k);
        live->peak = std::max(live->peak, ++live->now);
        on->enter(stream);
        stage_forward(*layout, *on, *d);
        if (!keeps) --live->now;
      }));
  if (sends) compute_.record(at.outputs.filled_event(k));
  if (!at_.lowered.training &&
      (at.stage->first || is_on_other_device(*at.stage, s - 1))) {
    compute_.record(at.inputs.freed_event(k));
  }
}

/// All that it needs is on the device and was waited for by the forward.
void Worker::recompute(StageBuffers& at, std::int32_t k) {
  const MicroBatchData& data = at.data[static_cast<std::size_t>(k)];
  run_marked(Work([layout = &at.layout, on = &workspace_, d = &data,
                   live = &live_](NativeStream stream) {
    live->peak = std::max(live->peak, ++live->now);
    on->enter(stream);
    stage_recompute(*layout, *on, *d);
  }));
}

void Worker::load_input(StageBuffers& at, std::int32_t k) {
  if (at.inputs.use(k).previous >= 0) {
    copy_.wait(at.inputs.freed_event(k), wait_site::kInputSlotFree);
  }
  const Region from = at_.batches.stage_inputs(k);
  copy_.copy(at.inputs.part(at.inputs.use(k).buffer, from.bytes), from);
  copy_.record(at.inputs.filled_event(k));
}

void Worker::input_gradient(StageBuffers& at, const Action& action) {
  const std::int32_t k = part_of(action);
  const std::int32_t s = at.stage->index;
  const bool sends = is_on_other_device(*at.stage, s - 1);
  const MicroBatchData& data = at.data[static_cast<std::size_t>(k)];
  if (is_on_other_device(*at.stage, s + 1)) {
    compute_.wait(at.output_gradients.filled_event(k), wait_site::kGradientArrived);
  }
  if (sends && at.input_gradients.use(k).previous >= 0) {
    at_.transport.wait_until_taken(
        compute_, {ActionKind::SendGradient, action.slice, s, action.micro_batch},
        at.input_gradients.use(k).buffer);
  }
  if (action.kind == ActionKind::InputGradient) {
    run_marked(
        Work([layout = &at.layout, on = &workspace_, d = &data](NativeStream stream) {
          on->enter(stream);
          stage_input_gradient(*layout, *on, *d);
        }));
  } else {
    run_marked(Work([layout = &at.layout, on = &workspace_, d = &data,
                     live = &live_](NativeStream stream) {
      on->enter(stream);
      stage_backward(*layout, *on, *d);
      --live->now;
    }));
  }
  if (sends) compute_.record(at.input_gradients.filled_event(k));
  if (action.kind == ActionKind::Backward) after_weight_gradient(at, k);
}

void Worker::weight_gradient(StageBuffers& at, std::int32_t k) {
  const MicroBatchData& data = at.data[static_cast<std::size_t>(k)];
  run_marked(Work([layout = &at.layout, on = &workspace_, d = &data,
                   live = &live_](NativeStream stream) {
    on->enter(stream);
    stage_weight_gradient(*layout, *on, *d);
    --live->now;
  }));
  after_weight_gradient(at, k);
}

void Worker::after_weight_gradient(StageBuffers& at, std::int32_t k) {
  const std::int32_t s = at.stage->index;
  if (at.stage->first || is_on_other_device(*at.stage, s - 1)) {
    compute_.record(at.inputs.freed_event(k));
  }
  if (is_on_other_device(*at.stage, s + 1))
    compute_.record(at.output_gradients.freed_event(k));
}

// The wait for the others comes before the marks: it is idle time, not work.
bool Worker::collective(const Action& action) {
  if (!at_.collectives.bring(device_, action)) return false;
  run_marked(at_.collectives.work_of(device_, action));
  at_.collectives.end(device_, action);
  return true;
}

void Worker::update(StageBuffers& at, std::int32_t k) {
  const Schedule& schedule = at_.lowered;
  const std::int32_t every = schedule.micro_batches_per_update();
  const WeightPlan::Update plan =
      at.weight_plan.updates[static_cast<std::size_t>(k / every)];
  const std::int32_t first =
      k / every * every +
      (schedule.copy_of(k) == 0 ? 0 : schedule.micro_batches_of_first_copy());
  const UpdateData data = {at.weights(plan.from).floats(), at.weights(plan.to).floats(),
                           at_.collectives.gradient_scale(device_),
                           &at_.network.optimizer(), at_.updates + k / every};
  run_marked(Work([of = at.stage, on = &workspace_, data, plan, log = &at.weight_log,
                   first, end = k + 1](NativeStream stream) {
    log->update(plan.from, plan.to, first, end);
    on->enter(stream);
    stage_update(*of, *on, data);
  }));
}

/// Where the network, and the next run, look for them.
void Worker::keep_newest_weights() {
  for (const auto& at : at_.stages) {
    if (at->stage->device != device_ || at->weight_plan.last() == 0) continue;
    compute_.copy(at->weights(0), at->weights(at->weight_plan.last()));
  }
}

void Worker::run_marked(const Work& work) {
  MarkPair& marks = at_.recorder.computation(device_, computations_++);
  compute_.mark(*marks.begin);
  compute_.run(work);
  compute_.mark(*marks.end);
}

}  // namespace pipeline
