/// \file
/// Where workers meet while they issue work: nobody goes on before all have come.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/watchdog.hpp"
#include "schedule/action.hpp"

namespace pipeline {

/// A point that several devices pass together, once a round.
class Meeting {
 public:
  /// Of the workers of these devices, who wait through `watchdog`.
  Meeting(Watchdog& watchdog, std::vector<std::int32_t> devices)
      : watchdog_(watchdog), devices_(std::move(devices)) {}

  /// Forgets who came in the last run, which is over on all devices.
  void begin() { came_ = done_ = 0; }

  /// Blocks the worker of `device`, which stands at `action`, until all have come. The
  /// last to come calls `arrange` first, while the others stand still: it may issue
  /// work for all of them. False: the run was stopped. `action` stays valid meanwhile.
  template <typename F>
  bool meet(std::int32_t device, const Action& action, const F& arrange) {
    std::unique_lock lock(watchdog_.mutex());
    const std::size_t round = came_++ / devices_.size();
    if (came_ == (round + 1) * devices_.size()) {
      lock.unlock();  // issuing may block for a moment, where a stream's queue is full
      arrange();
      lock.lock();
      done_ = round + 1;
      for (const std::int32_t other : devices_) watchdog_.wake(other);
      return true;
    }
    while (done_ <= round) {
      if (!watchdog_.block(lock, device, std::span(&action, 1))) return false;
    }
    return true;
  }

 private:
  Watchdog& watchdog_;
  std::vector<std::int32_t> devices_;
  std::size_t came_ = 0;  // in all rounds together
  std::size_t done_ = 0;  // rounds
};

}  // namespace pipeline
