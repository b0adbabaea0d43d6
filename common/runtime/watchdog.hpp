/// \file
/// Stops a schedule that hangs. Workers only ever wait for each other's sends and
/// receives to be *issued*, never for a device. So when every worker is blocked or
/// done, nothing can happen any more: no time has to pass to be sure.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// One mutex guards it and all that workers wait for.
class Watchdog {
 public:
  /// A worker for each device of `lowered`, which must outlive it.
  explicit Watchdog(const Schedule& lowered);

  /// To be locked for all that is below.
  std::mutex& mutex() { return mutex_; }

  // All below: with the mutex locked.

  /// All workers are running.
  void begin();
  /// Blocks `worker` until someone wakes it; it then looks again at what it waited for.
  /// `waits_for` are the sends and receives that it cannot complete; they stay valid
  /// until it returns. False: the run was stopped.
  bool block(std::unique_lock<std::mutex>& lock, std::int32_t worker,
             std::span<const Action> waits_for);
  /// A worker that is blocked looks again.
  void wake(std::int32_t worker);
  /// A worker has come to the end of its row.
  void finish(std::int32_t worker);
  /// What hung, in the words of `verify`; empty while all is well.
  const std::string& verdict() const { return verdict_; }
  /// Whether workers are to give up.
  bool stopped() const { return stopped_; }

 private:
  enum class State : std::uint8_t { Running, Blocked, Done };
  struct Worker {
    State state = State::Running;
    std::span<const Action> waits_for;
    std::condition_variable woken;
  };
  void stop_if_nobody_runs();

  const Schedule& schedule_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  bool stopped_ = false;
  std::string verdict_;
};

}  // namespace pipeline
