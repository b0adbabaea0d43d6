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

class VersionCount {
 public:
  explicit VersionCount(const Schedule& schedule) : schedule_(schedule) {
    versions_.micro_batches = schedule.total_micro_batches();
    const auto stages = static_cast<std::size_t>(schedule.stages());
    versions_.uses.resize(stages * static_cast<std::size_t>(versions_.micro_batches));
    versions_.most_kept.assign(stages, 1);
    versions_.most_stale.assign(stages, 0);
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
  /// A stage of one copy: what has weights of its own.
  std::size_t weights_of(const Action& action) const {
    return static_cast<std::size_t>(action.stage) * 2 +
           static_cast<std::size_t>(schedule_.copy_of(action.micro_batch));
  }

  void find_uses(const Row& row);
  void apply_policy();
  void count_kept(const Row& row);

  const Schedule& schedule_;
  WeightVersions versions_;
};

/// What the rows say without a policy: the newest version at each place. A gradient
/// goes into the first update behind it that reaches its micro-batch.
void VersionCount::find_uses(const Row& row) {
  std::vector<std::int32_t> newest(2 * static_cast<std::size_t>(schedule_.stages()), 0);
  std::vector<std::vector<Action>> waiting(newest.size());
  for (const Entry& entry : row) {
    const Action& action = entry.action;
    if (!fits(action)) continue;
    const std::size_t weights = weights_of(action);
    WeightUse& of = use(action.stage, action.micro_batch);
    if (action.kind == ActionKind::Forward && action.slice == 0) {
      of.forward = newest[weights];
    }
    if (uses_weights_backward(action.kind)) of.backward = newest[weights];
    if (makes_weight_gradient(action.kind)) waiting[weights].push_back(action);
    if (action.kind != ActionKind::Update) continue;
    std::erase_if(waiting[weights], [&](const Action& gradient) {
      if (gradient.micro_batch > action.micro_batch) return false;
      use(gradient.stage, gradient.micro_batch).applied_to = newest[weights];
      return true;
    });
    ++newest[weights];
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

/// Keeps, for each stage of the row, how many micro-batches still need each version.
void VersionCount::count_kept(const Row& row) {
  struct Kept {
    std::int32_t newest = 0;
    std::int32_t old = 0;             ///< versions before the newest that are needed
    std::vector<std::int32_t> users;  ///< still to come back, a version
  };
  std::vector<Kept> all(2 * static_cast<std::size_t>(schedule_.stages()));
  const auto users = [&](const Action& action) -> std::int32_t& {
    Kept& kept = all[weights_of(action)];
    const auto version =
        static_cast<std::size_t>(use(action.stage, action.micro_batch).backward);
    if (version >= kept.users.size()) kept.users.resize(version + 1, 0);
    return kept.users[version];
  };
  const auto uses_it = [&](const Action& action) {
    return fits(action) && uses_weights_backward(action.kind);
  };
  for (const Entry& entry : row) {
    if (uses_it(entry.action)) ++users(entry.action);
  }
  for (const Entry& entry : row) {
    const Action& action = entry.action;
    if (!fits(action)) continue;
    Kept& kept = all[weights_of(action)];
    if (uses_it(action)) {
      const bool last = --users(action) == 0;
      const std::int32_t version = use(action.stage, action.micro_batch).backward;
      if (last && version < kept.newest) --kept.old;
    }
    if (action.kind != ActionKind::Update) continue;
    const auto before = static_cast<std::size_t>(kept.newest++);
    if (before < kept.users.size() && kept.users[before] > 0) ++kept.old;
    std::int32_t& most = versions_.most_kept[static_cast<std::size_t>(action.stage)];
    most = std::max(most, kept.old + 1);
  }
}

}  // namespace

WeightVersions weight_versions(const Schedule& schedule) {
  return VersionCount(schedule).count();
}

}  // namespace pipeline
