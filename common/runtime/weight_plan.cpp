#include "runtime/weight_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/row_units.hpp"

namespace pipeline {
namespace {

bool uses_weights(ActionKind kind) {
  return kind == ActionKind::Forward || kind == ActionKind::Backward ||
         kind == ActionKind::InputGradient;
}

bool makes_weight_gradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::WeightGradient;
}

class Planner {
 public:
  Planner(const Schedule& schedule, const WeightVersions& versions, std::int32_t stage,
          std::int32_t copy)
      : schedule_(schedule), versions_(versions), stage_(stage), copy_(copy) {
    plan_.buffer_of.assign(static_cast<std::size_t>(schedule.total_micro_batches()), 0);
    for (const Entry& entry : row()) {
      if (is_ours(entry.action) && uses_weights(entry.action.kind)) {
        ++users(version_of(entry.action));
      }
    }
  }

  Expected<WeightPlan> plan() {
    std::optional<Error> fault;
    for_each_in_order(row(), [&](const Action& action) {
      if (is_ours(action)) fault = perform(action);
      return !fault;
    });
    if (fault) return tl::unexpected(std::move(*fault));
    return std::move(plan_);
  }

 private:
  const Row& row() const {
    const std::int32_t device = schedule_.placement.device_of(stage_, copy_);
    return schedule_.rows[static_cast<std::size_t>(device)];
  }
  bool is_ours(const Action& action) const {
    return action.stage == stage_ && schedule_.copy_of(action.micro_batch) == copy_;
  }
  std::int32_t version_of(const Action& action) const {
    const WeightUse& use = versions_.of(action.stage, action.micro_batch);
    return action.kind == ActionKind::Forward ? use.forward : use.backward;
  }
  std::int32_t& users(std::int32_t version) {
    const auto at = static_cast<std::size_t>(version);
    if (at >= users_.size()) users_.resize(at + 1, 0);
    return users_[at];
  }

  std::optional<Error> perform(const Action& action) {
    if (makes_weight_gradient(action.kind) &&
        action.micro_batch / schedule_.micro_batches_per_update() != newest()) {
      return Error{called(action) + " adds its gradient to that of another update",
                   "let each update take in its own micro-batches, and no others"};
    }
    if (uses_weights(action.kind)) return use(action);
    if (action.kind == ActionKind::Update) update();
    return std::nullopt;
  }

  std::optional<Error> use(const Action& action) {
    const std::int32_t version = version_of(action);
    if (version > newest()) {
      return Error{called(action) + " uses version " + std::to_string(version) +
                       " of its weights, which is not made yet",
                   "update the stage before it"};
    }
    const std::int32_t buffer = buffer_of_[static_cast<std::size_t>(version)];
    plan_.buffer_of[static_cast<std::size_t>(action.micro_batch)] = buffer;
    if (--users(version) == 0 && version != newest()) free_.push_back(buffer);
    return std::nullopt;
  }

  void update() {
    const std::int32_t from = buffer_of_.back();
    std::int32_t to = from;
    if (users(newest()) > 0) {
      if (free_.empty()) free_.push_back(plan_.buffers++);
      to = free_.back();
      free_.pop_back();
    }
    buffer_of_.push_back(to);
    plan_.updates.push_back({from, to});
  }

  std::int32_t newest() const {
    return static_cast<std::int32_t>(plan_.updates.size());
  }
  static std::string called(const Action& action) {
    return "micro-batch " + std::to_string(action.micro_batch) + " on stage " +
           std::to_string(action.stage);
  }

  const Schedule& schedule_;
  const WeightVersions& versions_;
  std::int32_t stage_;
  std::int32_t copy_;
  WeightPlan plan_;
  std::vector<std::int32_t> users_;         // by version: still to come
  std::vector<std::int32_t> buffer_of_{0};  // by version
  std::vector<std::int32_t> free_;
};

}  // namespace

Expected<WeightPlan> plan_weights(const Schedule& schedule,
                                  const WeightVersions& versions, std::int32_t stage,
                                  std::int32_t copy) {
  return Planner(schedule, versions, stage, copy).plan();
}

}  // namespace pipeline
