#include "runtime/slots.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "runtime/row_units.hpp"
#include "schedule/activations.hpp"
#include "schedule/parts.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

/// Who takes and gives back the buffers of one pool, in the order of the row.
class PoolUses {
 public:
  /// Of so many parts (of the caches: micro-batches; of slots: forwards that are
  /// re-computed are parts by themselves).
  explicit PoolUses(std::int32_t parts)
      : states_(static_cast<std::size_t>(parts), State::Unused) {}

  bool holds(std::int32_t part) const {
    return states_[static_cast<std::size_t>(part)] == State::Held;
  }
  bool acquire(std::int32_t part) {
    State& state = states_[static_cast<std::size_t>(part)];
    if (state != State::Unused) return false;
    state = State::Held;
    events_.push_back({part, true});
    peak_ = std::max(peak_, ++held_);
    ++acquired_;
    return true;
  }
  bool release(std::int32_t part) {
    State& state = states_[static_cast<std::size_t>(part)];
    if (state != State::Held) return false;
    state = State::Released;
    events_.push_back({part, false});
    --held_;
    return true;
  }

  /// Always takes the buffer that was free for longest.
  PoolPlan plan(std::int32_t spare) const {
    PoolPlan plan;
    plan.buffers = std::min(peak_ + spare, acquired_);
    plan.uses.resize(states_.size());
    struct Free {
      std::int32_t buffer;
      std::int32_t previous;
    };
    std::vector<Free> free;  // a queue: taken at `next`, given back at the end
    free.reserve(static_cast<std::size_t>(plan.buffers) + events_.size());
    std::size_t next = 0;
    for (std::int32_t i = 0; i < plan.buffers; ++i) free.push_back({i, -1});
    for (const Event& event : events_) {
      PoolPlan::Use& use = plan.uses[static_cast<std::size_t>(event.part)];
      if (event.acquire) {
        use = {free[next].buffer, free[next].previous};
        ++next;
      } else {
        free.push_back({use.buffer, event.part});
      }
    }
    return plan;
  }

 private:
  enum class State : std::uint8_t { Unused, Held, Released };
  struct Event {
    std::int32_t part;
    bool acquire;
  };
  std::vector<State> states_;
  std::vector<Event> events_;
  std::int32_t held_ = 0;
  std::int32_t peak_ = 0;
  std::int32_t acquired_ = 0;
};

struct StageUses {
  StageUses(std::int32_t parts, std::int32_t micro_batches)
      : inputs(parts),
        activations(2 * parts),
        outputs(parts),
        output_gradients(parts),
        inner_gradients(parts),
        input_gradients(parts),
        caches(micro_batches) {}

  PoolUses inputs;
  PoolUses activations;
  PoolUses outputs;
  PoolUses output_gradients;
  PoolUses inner_gradients;
  PoolUses input_gradients;
  PoolUses caches;
  std::vector<std::int32_t> sent_activations;  // parts, in order
  std::vector<std::int32_t> sent_gradients;
};

/// Walks the rows. A pool is used by the row of one device alone. Each action answers
/// whether all that it needs is there.
class Walk {
 public:
  Walk(const Schedule& lowered, std::int32_t buffers)
      : schedule_(lowered),
        parts_(lowered),
        recomputed_(lowered),
        buffers_(buffers),
        stages_(place_of(lowered.placement, 0, lowered.placement.copies()),
                StageUses(parts_.count(), lowered.total_micro_batches())) {}

  bool perform(const Action& action) {
    switch (action.kind) {
      case ActionKind::Forward:
        return forward(action);
      case ActionKind::InputGradient:
        return input_gradient(action);
      case ActionKind::WeightGradient:
        return weight_gradient(action);
      case ActionKind::Backward:
        return input_gradient(action) && weight_gradient(action);
      case ActionKind::ReceiveActivation:
        return on(action).inputs.acquire(part_of(action));
      case ActionKind::ReceiveGradient:
        return on(action).output_gradients.acquire(part_of(action));
      case ActionKind::SendActivation:
        return send(on(action).outputs, on(action).sent_activations, part_of(action));
      case ActionKind::SendGradient:
        return send(on(action).input_gradients, on(action).sent_gradients,
                    part_of(action));
      case ActionKind::Reduce:
      case ActionKind::ReduceNorm:
      case ActionKind::Update:
        return true;
      case ActionKind::Recompute:
        return on(action).inputs.holds(part_of(action)) &&
               on(action).activations.acquire(part_of(action));
    }
    return false;
  }

  /// Of one stage, but for its weights.
  StagePlan plan(std::int32_t stage, std::int32_t copy) const {
    const StageUses& uses = stages_[place_of(schedule_.placement, stage, copy)];
    const bool copied_in = stage == 0 || crosses(stage, stage - 1, copy);
    const bool gradient_copied_in =
        stage != last_stage() && crosses(stage, stage + 1, copy);
    StagePlan plan;
    plan.inputs = uses.inputs.plan(copied_in ? 1 : 0);
    plan.activations = uses.activations.plan(0);
    plan.outputs = uses.outputs.plan(0);
    plan.output_gradients = uses.output_gradients.plan(gradient_copied_in ? 1 : 0);
    plan.inner_gradients = uses.inner_gradients.plan(0);
    plan.input_gradients = uses.input_gradients.plan(0);
    plan.caches = uses.caches.plan(0);
    return plan;
  }

 private:
  /// The stage that an action is on, or one beside it, of the micro-batch's copy.
  StageUses& on(const Action& action, std::int32_t beside = 0) {
    return stages_[place_of(schedule_, action.stage + beside, action.micro_batch)];
  }
  std::int32_t part_of(const Action& action) const {
    return parts_.of(action.micro_batch, action.slice);
  }
  std::int32_t last_stage() const { return schedule_.stages() - 1; }
  bool crosses(std::int32_t stage, std::int32_t neighbour, std::int32_t copy) const {
    return schedule_.placement.device_of(stage, copy) !=
           schedule_.placement.device_of(neighbour, copy);
  }
  bool crosses_to(const Action& action, std::int32_t neighbour) const {
    return crosses(action.stage, neighbour, schedule_.copy_of(action.micro_batch));
  }

  // Writes its output into the message to the next stage, or, where that one is on the
  // same device, straight into its input.
  bool forward(const Action& action) {
    const std::int32_t k = part_of(action);
    StageUses& here = on(action);
    const bool passes = recomputed_.contains(action);
    const std::int32_t slot = passes ? parts_.count() + k : k;
    if (action.stage == 0 && !here.inputs.acquire(k)) return false;
    if (!here.inputs.holds(k) || !here.activations.acquire(slot)) return false;
    if (action.stage != last_stage()) {
      PoolUses& to =
          crosses_to(action, action.stage + 1) ? here.outputs : on(action, +1).inputs;
      if (!to.acquire(k)) return false;
    }
    if (!take_cache(action)) return false;
    if (schedule_.training && !passes) return true;
    return here.activations.release(slot) && (passes || here.inputs.release(k));
  }

  // A cache lasts from the first slice's forward to its backward, which comes last.
  bool take_cache(const Action& forward) {
    if (schedule_.slices.empty()) return true;
    const std::int32_t k = forward.micro_batch;
    PoolUses& caches = on(forward).caches;
    if (forward.slice == 0 && !caches.acquire(k)) return false;
    const bool ends = !schedule_.training && forward.slice + 1 == parts_.slices_of(k);
    return ends ? caches.release(k) : caches.holds(k);
  }
  bool give_back_cache(const Action& backward) {
    if (schedule_.slices.empty() || backward.slice > 0) return true;
    return on(backward).caches.release(backward.micro_batch);
  }

  bool input_gradient(const Action& action) {
    const std::int32_t k = part_of(action);
    StageUses& here = on(action);
    if (action.stage == last_stage() && !here.output_gradients.acquire(k)) return false;
    if (!here.activations.holds(k) || !here.output_gradients.holds(k)) return false;
    if (!here.inner_gradients.acquire(k) || !give_back_cache(action)) return false;
    if (action.stage == 0) return true;
    PoolUses& to = crosses_to(action, action.stage - 1)
                       ? here.input_gradients
                       : on(action, -1).output_gradients;
    return to.acquire(k);
  }

  bool weight_gradient(const Action& action) {
    const std::int32_t k = part_of(action);
    StageUses& here = on(action);
    return here.inner_gradients.release(k) && here.output_gradients.release(k) &&
           here.activations.release(k) && here.inputs.release(k);
  }

  bool send(PoolUses& pool, std::vector<std::int32_t>& sent, std::int32_t k) const {
    // A link carries each part once.
    if (!pool.holds(k) || sent.size() == static_cast<std::size_t>(parts_.count())) {
      return false;
    }
    sent.push_back(k);
    const auto held = static_cast<std::size_t>(buffers_);
    return sent.size() <= held || pool.release(sent[sent.size() - 1 - held]);
  }

  const Schedule& schedule_;
  Parts parts_;
  Recomputed recomputed_;
  std::int32_t buffers_;
  std::vector<StageUses> stages_;
};

}  // namespace

Expected<std::vector<StagePlan>> plan_stages(const Schedule& lowered,
                                             std::int32_t buffers) {
  Walk walk(lowered, buffers);
  for (std::size_t device = 0; device < lowered.rows.size(); ++device) {
    Action stuck;
    const bool runs =
        for_each_in_order(lowered.rows[device], [&](const Action& action) {
          stuck = action;
          return walk.perform(action);
        });
    if (runs) continue;
    return refuse("device " + std::to_string(device) + " cannot run " +
                      to_text(stuck, true) +
                      " where it stands: what it needs is not there",
                  "verify the schedule; its faults are listed there");
  }
  const WeightVersions versions = weight_versions(lowered);
  std::vector<StagePlan> plans;
  for (std::int32_t copy = 0; copy < lowered.placement.copies(); ++copy) {
    for (std::int32_t stage = 0; stage < lowered.stages(); ++stage) {
      auto weights = plan_weights(lowered, versions, stage, copy);
      if (!weights) return tl::unexpected(std::move(weights.error()));
      plans.push_back(walk.plan(stage, copy));
      plans.back().weights = std::move(*weights);
    }
  }
  return plans;
}

}  // namespace pipeline
