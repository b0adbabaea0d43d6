/// \file
/// Who runs the items of host streams. Internal to the host platform.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "device/host_queue.hpp"

namespace pipeline::host {

/// What a thread does when nothing is ready.
enum class Idle {
  SpinThenSleep,  ///< a device that shares no core: look on for a moment first
  Sleep,          ///< more devices than cores: the core belongs to another device
  Poll,  ///< naps: a wake-up would order threads and hide races from the sanitizer
};

/// Rung to wake the thread of a device.
class Bell {
 public:
  void ring() {
    rings_.fetch_add(1);
    rings_.notify_one();
  }
  std::uint32_t heard() const { return rings_.load(); }
  void sleep_unless_rung_since(std::uint32_t heard) const { rings_.wait(heard); }

 private:
  std::atomic<std::uint32_t> rings_{0};
};

/// A thread that drains queues in a legal order.
class Drainer {
 public:
  using Delay = std::function<std::uint32_t(std::int32_t, std::uint64_t)>;

  /// `bells` has one for each device; `own` is this thread's.
  Drainer(std::vector<Bell>& bells, std::size_t own, Idle idle, const Delay& delay);
  ~Drainer();  ///< every queue must be empty or removed
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;

  void add(Queue& queue);
  void remove(const Queue& queue);
  /// Called after a push.
  void wake() { own_bell().ring(); }

 private:
  Bell& own_bell() { return bells_[own_]; }
  void drain();
  bool run_some();
  bool run_short_items(Queue& queue);
  bool run_one_work();
  void run(Queue& queue);
  void rest();
  bool anything_ready() const;
  bool naps_beside_a_slow_copy() const;
  void announce_sleep();

  std::vector<Bell>& bells_;
  std::size_t own_;
  Idle idle_;
  const Delay& delay_;

  std::mutex mutex_;                  // guards `queues_`
  std::vector<Queue*> queues_;        // as others changed it
  std::atomic<bool> changed_{false};  // take `queues_` over
  std::atomic<bool> stop_{false};

  std::vector<Queue*> draining_;  // the thread's own copy
  std::size_t turn_ = 0;          // whose work comes next
  std::thread thread_;            // last: starts when all else is there
};

/// One thread, all devices: any legal order, drawn from a seed.
class SeededDrain {
 public:
  explicit SeededDrain(std::uint64_t seed) : state_(seed) {}

  void add(Queue& queue) { queues_.push_back(&queue); }
  /// A wait for `until` was dropped: run what leads there as late as can be.
  void defer(Point until) { deferred_.push_back(until); }
  /// Runs everything that was issued. `issuing` is locked, but not while an item runs,
  /// which may take locks of its own under which others issue.
  void drain(std::unique_lock<std::mutex>& issuing);

 private:
  bool is_deferred(const Queue& queue) const;
  Queue* draw();
  std::uint64_t next_random();

  std::uint64_t state_;
  bool draining_ = false;
  std::condition_variable idle_;  // when it is not draining
  std::vector<Queue*> queues_;    // in order of creation
  std::vector<Point> deferred_;
  std::vector<Queue*> ready_;
  std::vector<Queue*> ready_but_deferred_;
};

}  // namespace pipeline::host
