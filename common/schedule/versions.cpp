// Two walks over the rows: the first finds who uses which version, the second counts
// the versions that have to be there at once.
#include "schedule/versions.hpp"

namespace pipeline {
namespace {

bool uses_weights_backward(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::InputGradient;
}

bool makes_weight_gradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::WeightGradient;
}

/// One copy of a stage, all of whose actions stand in one row.
struct Weights {
  std::int32_t newest = 0;             ///< of the first walk
  std::vector<std::int32_t> to_apply;  ///< micro-batches whose gradient has come
  std::int32_t counted = 0;            ///< the newest of the second walk
  std::int32_t kept = 0;               ///< versions before it that are still needed
  std::vector<std::int32_t> users;     ///< still to come back, a version
};

class VersionCount {
 public:
  explicit VersionCount(const Schedule& schedule) : schedule_(schedule) {
    versions_.micro_batches = schedule.total_micro_batches();
    const auto stages = static_cast<std::size_t>(schedule.stages());
    versions_.uses.resize(stages * static_cast<std::size_t>(versions_.micro_batches));
    versions_.most_kept.assign(stages, 1);
    versions_.most_stale.assign(stages, 0);
    weights_.resize(2 * stages);
  }

  WeightVersions count() && {
    for (const Row& row : schedule_.rows) find_uses(row);
    apply_policy();
    for (const WeightUse& use : versions_.uses) {
      const auto stage = static_cast<std::size_t>(&use - versions_.uses.data()) /
                         static_cast<std::size_t>(versions_.micro_batches);
      std::int32_t& most = versions_.most_stale[stage];
      most = std::max(most, use.staleness());
    }
    for (const Row& row : schedule_.rows) count_kept(row);
    return std::move(versions_);
  }

 private:
  bool fits(const Action& action) const {
    return action.stage >= 0 && action.stage < schedule_.stages() &&
           action.micro_batch >= 0 && action.micro_batch < versions_.micro_batches;
  }
  WeightUse& use(std::int32_t stage, std::int32_t micro_batch) {
    return versions_.uses[static_cast<std::size_t>(stage) *
                              static_cast<std::size_t>(versions_.micro_batches) +
                          static_cast<std::size_t>(micro_batch)];
  }
  Weights& weights_of(const Action& action) {
    return weights_[static_cast<std::size_t>(action.stage) * 2 +
                    static_cast<std::size_t>(schedule_.copy_of(action.micro_batch))];
  }

  void find_uses(const Row& row);
  void apply_policy();
  void count_kept(const Row& row);

  const Schedule& schedule_;
  std::vector<Weights> weights_;  ///< by stage, two copies each
  WeightVersions versions_;
};

/// What the rows say without a policy: the newest version at each place. A gradient
/// goes into the first update behind it that reaches its micro-batch.
void VersionCount::find_uses(const Row& row) {
  for (const Entry& entry : row) {
    const Action& action = entry.action;
    if (!fits(action)) continue;
    Weights& weights = weights_of(action);
    WeightUse& of = use(action.stage, action.micro_batch);
    if (action.kind == ActionKind::Forward && action.slice == 0) {
      of.forward = weights.newest;
    }
    if (uses_weights_backward(action.kind)) of.backward = weights.newest;
    if (makes_weight_gradient(action.kind)) {
      weights.to_apply.push_back(action.micro_batch);
    }
    if (action.kind != ActionKind::Update) continue;
    std::erase_if(weights.to_apply, [&](std::int32_t micro_batch) {
      if (micro_batch > action.micro_batch) return false;
      use(action.stage, micro_batch).applied_to = weights.newest;
      return true;
    });
    ++weights.newest;
  }
}

void VersionCount::apply_policy() {
  if (schedule_.weights == WeightPolicy::Synchronous) return;
  for (std::int32_t stage = 0; stage < schedule_.stages(); ++stage) {
    for (std::int32_t k = 0; k < versions_.micro_batches; ++k) {
      WeightUse& of = use(stage, k);
      if (schedule_.weights == WeightPolicy::VerticalSync) {
        of.forward = use(0, k).forward;
      } else if (schedule_.weights == WeightPolicy::DoubleBuffered) {
        of.forward = std::max(k / schedule_.micro_batches - 1, 0);
      }
      if (of.backward != WeightUse::kNever) of.backward = of.forward;
    }
  }
}

/// Follows, for each version, how many micro-batches have still to come back to it.
void VersionCount::count_kept(const Row& row) {
  const auto users = [this](const Action& action) -> std::int32_t& {
    std::vector<std::int32_t>& all = weights_of(action).users;
    const std::int32_t version = use(action.stage, action.micro_batch).backward;
    const auto at = static_cast<std::size_t>(std::max(version, 0));
    if (at >= all.size()) all.resize(at + 1, 0);
    return all[at];
  };
  const auto comes_back = [this](const Action& action) {
    return fits(action) && uses_weights_backward(action.kind);
  };
  for (const Entry& entry : row) {
    if (comes_back(entry.action)) ++users(entry.action);
  }
  for (const Entry& entry : row) {
    const Action& action = entry.action;
    if (!fits(action)) continue;
    Weights& weights = weights_of(action);
    if (comes_back(action) && --users(action) == 0 &&
        use(action.stage, action.micro_batch).backward < weights.counted) {
      --weights.kept;
    }
    if (action.kind != ActionKind::Update) continue;
    const auto before = static_cast<std::size_t>(weights.counted++);
    if (before < weights.users.size() && weights.users[before] > 0) ++weights.kept;
    std::int32_t& most = versions_.most_kept[static_cast<std::size_t>(action.stage)];
    most = std::max(most, weights.kept + 1);
  }
}

}  // namespace

std::optional<std::int32_t> WeightVersions::of(const Action& action) const {
  if (action.stage < 0 || static_cast<std::size_t>(action.stage) >= most_kept.size() ||
      action.micro_batch < 0 || action.micro_batch >= micro_batches) {
    return std::nullopt;
  }
  const WeightUse& use = of(action.stage, action.micro_batch);
  std::int32_t version = WeightUse::kNever;
  if (action.kind == ActionKind::Forward || action.kind == ActionKind::Recompute) {
    version = use.forward;
  } else if (uses_weights_backward(action.kind)) {
    version = use.backward;
  } else if (action.kind == ActionKind::Update && use.applied_to >= 0) {
    version = use.applied_to + 1;
  }
  if (version < 0) return std::nullopt;
  return version;
}

WeightVersions weight_versions(const Schedule& schedule) {
  if (schedule.stages() < 1 || schedule.total_micro_batches() < 1) return {};
  return VersionCount(schedule).count();
}

}  // namespace pipeline
