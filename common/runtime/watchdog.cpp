#include "runtime/watchdog.hpp"

#include <algorithm>

#include "schedule/verify.hpp"

namespace pipeline {

namespace {

/// For devices that wait for nothing but each other's sums.
std::string sums_in_words(std::span<const Action> blocked) {
  std::string words;
  for (const Action& action : blocked) {
    if (!words.empty()) words += "; ";
    words += action.kind == ActionKind::Reduce
                 ? "stage " + std::to_string(action.stage) +
                       " waits for the gradients of its other copy"
                 : "the device of stage " + std::to_string(action.stage) +
                       " waits for the norm of all gradients";
  }
  return words;
}

}  // namespace

Watchdog::Watchdog(const Schedule& lowered) : schedule_(lowered) {
  for (std::int32_t d = 0; d < lowered.devices(); ++d) {
    workers_.push_back(std::make_unique<Worker>());
  }
}

void Watchdog::begin() {
  for (const auto& worker : workers_) worker->state = State::Running;
  stopped_ = false;
  verdict_.clear();
}

bool Watchdog::block(std::unique_lock<std::mutex>& lock, std::int32_t worker,
                     std::span<const Action> waits_for) {
  Worker& self = *workers_[static_cast<std::size_t>(worker)];
  self.state = State::Blocked;
  self.waits_for = waits_for;
  stop_if_nobody_runs();
  self.woken.wait(lock, [&] { return self.state != State::Blocked || stopped(); });
  self.state = State::Running;
  return !stopped();
}

void Watchdog::wake(std::int32_t worker) {
  Worker& sleeper = *workers_[static_cast<std::size_t>(worker)];
  if (sleeper.state != State::Blocked) return;
  // From now on it counts as running, though its thread may still sleep for a while.
  sleeper.state = State::Running;
  sleeper.woken.notify_one();
}

void Watchdog::finish(std::int32_t worker) {
  workers_[static_cast<std::size_t>(worker)]->state = State::Done;
  stop_if_nobody_runs();
}

void Watchdog::stop_if_nobody_runs() {
  const auto is = [](State state) {
    return [state](const auto& worker) { return worker->state == state; };
  };
  if (std::any_of(workers_.begin(), workers_.end(), is(State::Running))) return;
  if (std::all_of(workers_.begin(), workers_.end(), is(State::Done))) return;
  std::vector<Action> blocked;
  for (const auto& worker : workers_) {
    if (worker->state == State::Done) continue;
    blocked.insert(blocked.end(), worker->waits_for.begin(), worker->waits_for.end());
  }
  stopped_ = true;
  verdict_ = wait_cycle_in_words(schedule_, blocked);
  if (verdict_.empty()) verdict_ = sums_in_words(blocked);
  for (const auto& worker : workers_) worker->woken.notify_one();
}

}  // namespace pipeline
