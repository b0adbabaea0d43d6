#include "schedule/progress.hpp"

namespace pipeline {
namespace {

constexpr KindSet kWeightGradients =
    set_of(ActionKind::Backward, ActionKind::WeightGradient);

std::int32_t updates_behind(WeightPolicy weights) {
  switch (weights) {
    case WeightPolicy::Synchronous:
      return 1;
    case WeightPolicy::DoubleBuffered:
      return 2;
    case WeightPolicy::Stashed:
    case WeightPolicy::VerticalSync:
      return 0;
  }
  return 0;
}

}  // namespace

Progress::Progress(const Schedule& schedule, PendingTable& pending)
    : schedule_(schedule),
      pending_(pending),
      groups_(schedule),
      is_sliced_(!schedule.slices.empty()),
      updates_behind_(updates_behind(schedule.weights)) {
  if (!schedule.training) return;
  count_gradients();
  count_norms();
}

void Progress::count_gradients() {
  const Parts& parts = pending_.parts();
  gradients_left_.reserve(index_of(schedule_.stages(), 0, 0));
  std::size_t cell = 0;
  for (std::int32_t stage = 0; stage < schedule_.stages(); ++stage) {
    for (std::int32_t group = 0; group < groups_.count(); ++group) {
      for (std::int32_t copy = 0; copy < groups_.copies(); ++copy) {
        const std::size_t end =
            pending_.cell(stage, 0) +
            static_cast<std::size_t>(parts.of(groups_.end(group, copy), 0));
        std::int32_t count = 0;
        for (; cell < end; ++cell) {
          count += (pending_[cell] & set_of(ActionKind::Backward)) != 0 ? 1 : 0;
          count += (pending_[cell] & set_of(ActionKind::WeightGradient)) != 0 ? 1 : 0;
        }
        gradients_left_.push_back(count);
      }
    }
  }
}

void Progress::count_norms() {
  if (updates_behind_ == 0) return;  // no flush, and so no norm
  std::vector<std::int32_t> left(static_cast<std::size_t>(groups_.count()), 0);
  bool any = false;
  std::vector<bool> seen(schedule_.rows.size(), false);
  for (std::int32_t stage = 0; stage < schedule_.stages(); ++stage) {
    const auto device = static_cast<std::size_t>(schedule_.placement.device_of(stage));
    if (seen[device]) continue;
    seen[device] = true;
    for (std::int32_t group = 0; group < groups_.count(); ++group) {
      if (!pending_.contains(
              {ActionKind::ReduceNorm, 0, stage, groups_.last(group, 0)})) {
        continue;
      }
      ++left[static_cast<std::size_t>(group)];
      any = true;
    }
  }
  if (!any) return;
  norm_left_ = std::move(left);
  first_absent_.resize(norm_left_.size());
  stages_on_.resize(schedule_.rows.size());
  for (std::int32_t stage = 0; stage < schedule_.stages(); ++stage) {
    for (std::int32_t copy = 0; copy < groups_.copies(); ++copy) {
      std::vector<std::int32_t>& stages = stages_on_[static_cast<std::size_t>(
          schedule_.placement.device_of(stage, copy))];
      if (stages.empty() || stages.back() != stage) stages.push_back(stage);
    }
  }
}

bool Progress::waits_for_slice(const Action& action, std::int32_t part,
                               Action& on) const {
  switch (action.kind) {
    case ActionKind::Forward:
      return action.slice > 0 &&
             any_pending(set_of(ActionKind::Forward), action.stage, part - 1, on);
    case ActionKind::Backward:
    case ActionKind::InputGradient:
      return action.slice + 1 < pending_.parts().slices_of(action.micro_batch) &&
             any_pending(kGivesGradient, action.stage, part + 1, on);
    default:
      return false;
  }
}

bool Progress::waits_for_gradients(const Action& action, Action& on) {
  const std::int32_t group = groups_.of(action.micro_batch);
  if (action.kind == ActionKind::ReduceNorm) return norm_must_wait(action, on);
  if (waits_for_gradients_of(action.stage, group, groups_.copy_of(action.micro_batch),
                             on)) {
    return true;
  }
  return action.kind == ActionKind::Update &&
         (waits_for_reduce(action.stage, group, on) || waits_for_norm(group, on));
}

bool Progress::waits_for_gradients_of(std::int32_t stage, std::int32_t group,
                                      std::int32_t copy, Action& on) const {
  if (gradients_left_[index_of(stage, group, copy)] == 0) return false;
  std::int32_t part = pending_.parts().of(groups_.begin(group, copy), 0);
  while (!any_pending(kWeightGradients, stage, part, on)) ++part;
  return true;
}

bool Progress::waits_for_reduce(std::int32_t stage, std::int32_t group,
                                Action& on) const {
  if (groups_.copies() == 1) return false;
  for (const std::int32_t copy : {0, 1}) {
    on = {ActionKind::Reduce, 0, stage, groups_.last(group, copy)};
    if (pending_.contains(on)) return true;
  }
  return false;
}

bool Progress::waits_for_norm(std::int32_t group, Action& on) {
  if (norm_left_.empty() || norm_left_[static_cast<std::size_t>(group)] == 0) {
    return false;
  }
  // Somebody has still to join: the search ends.
  std::int32_t& device = first_absent_[static_cast<std::size_t>(group)];
  while (true) {
    const std::vector<std::int32_t>& stages =
        stages_on_[static_cast<std::size_t>(device)];
    for (const std::int32_t stage : stages) {
      on = {ActionKind::ReduceNorm, 0, stage, groups_.last(group, 0)};
      if (pending_.contains(on)) return true;
    }
    ++device;
  }
}

// All gradients of its device must be there, summed over the copies.
bool Progress::norm_must_wait(const Action& norm, Action& on) const {
  const std::int32_t group = groups_.of(norm.micro_batch);
  const auto device =
      static_cast<std::size_t>(schedule_.placement.device_of(norm.stage));
  for (const std::int32_t stage : stages_on_[device]) {
    for (std::int32_t copy = 0; copy < groups_.copies(); ++copy) {
      const bool here = schedule_.placement.device_of(stage, copy) ==
                        static_cast<std::int32_t>(device);
      if (here && waits_for_gradients_of(stage, group, copy, on)) return true;
    }
    if (waits_for_reduce(stage, group, on)) return true;
  }
  return false;
}

bool Progress::waits_for_others(const Action& collective, Action& on) {
  if (!pending_.in_range(collective) || !pending_.has_joined(collective)) return false;
  if (collective.kind == ActionKind::ReduceNorm) {
    return waits_for_norm(groups_.of(collective.micro_batch), on);
  }
  on = partner(collective);
  return pending_.contains(on) &&
         schedule_.device_of(on.stage, on.micro_batch) !=
             schedule_.device_of(collective.stage, collective.micro_batch);
}

}  // namespace pipeline
