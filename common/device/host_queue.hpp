/// \file
/// What a host stream still has to do: a ring of items, filled by the threads that
/// issue, emptied by the one thread that drains. Internal to the host platform.
///
///     position   0 1 2 3 4 5 6 7 8
///                p p p p · · · ·        p: passed (run); ·: issued, still to run
///                        ▲       ▲
///                     passed   issued
///
/// An event is a *point*: a position of a queue. It is behind us once `passed` is
/// beyond it, whichever stream recorded it and however often it is recorded again.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "device/device.hpp"

namespace pipeline::host {

class Queue;

struct Point {
  Queue* queue = nullptr;  ///< null: never recorded
  std::uint64_t position = 0;
};

/// Steady clock, nanoseconds; 0 until passed.
struct Mark final : TimeMark {
  std::atomic<std::int64_t> nanoseconds{0};
};

/// Where a thread that synchronizes sleeps.
class Signal {
 public:
  void raise() {
    const std::lock_guard lock(mutex_);
    raised_ = true;
    changed_.notify_one();  // under the lock: the waiter may destroy us right after
  }
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return raised_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool raised_ = false;
};

struct CopyItem {
  Region to;
  Region from;
  std::atomic<std::uint64_t>* received = nullptr;     ///< counter of the other device
  std::chrono::nanoseconds takes{0};                  ///< at least, on a slow link
  std::chrono::steady_clock::time_point issued = {};  ///< it cannot begin earlier
};
struct ZeroItem {
  Region region;
};
struct RecordItem {};
struct WaitItem {
  Point until;
};
struct MarkItem {
  Mark* mark = nullptr;
};
struct SignalItem {
  Signal* signal = nullptr;
};
using Item = std::variant<std::monostate, Work, CopyItem, ZeroItem, RecordItem,
                          WaitItem, MarkItem, SignalItem>;

// Padded on purpose: what the draining thread writes has a cache line of its own.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class Queue {
 public:
  /// `issuing` is locked by `push`. A queue that grows must not be drained without it.
  Queue(std::uint32_t id, std::int32_t device, std::string name, std::size_t capacity,
        bool grows, std::mutex& issuing)
      : id_(id),
        device_(device),
        name_(std::move(name)),
        grows_(grows),
        issuing_(&issuing),
        ring_(capacity),
        records_(capacity),
        recorded_at_(capacity) {}

  std::uint32_t id() const { return id_; }
  std::int32_t device() const { return device_; }
  const std::string& name() const { return name_; }

  /// Appends and returns where. Blocks while the ring is full, unless it grows.
  Point push(const Item& item);

  std::uint64_t issued() const { return issued_.load(std::memory_order_relaxed); }
  std::uint64_t passed() const { return passed_.load(std::memory_order_acquire); }
  bool has_passed_record(std::uint64_t position) const {
    return records_[position % records_.size()].load() > position;
  }

  /// For the draining thread: the oldest item, or null.
  const Item* head() const {
    const std::uint64_t at = passed_.load(std::memory_order_relaxed);
    const Slot& slot = ring_[at % ring_.size()];
    return slot.issued.load(std::memory_order_acquire) == at + 1 ? &slot.item : nullptr;
  }
  void pop() {
    const std::uint64_t at = passed_.load(std::memory_order_relaxed);
    const Item& item = ring_[at % ring_.size()].item;
    note_time(item, at);
    if (std::holds_alternative<RecordItem>(item)) {
      records_[at % records_.size()].store(at + 1);
    }
    passed_.store(at + 1, std::memory_order_release);
  }

  /// For the draining thread, of a copy on a slow link at the head: how long it still
  /// takes. Nothing left of all other items. Its clock started when it was issued and
  /// all before it had happened, even if nobody was free to look then:
  ///
  ///     device 0   [ F1 ]●ready
  ///     the link         [ copy 1 ]
  ///     device 1    [ F0     ]     [ F1 ]    it looks when F0 is done
  std::chrono::nanoseconds time_left();

  /// Devices (modulo 64, a bit each) whose thread sleeps until this queue passes a
  /// record.
  std::atomic<std::uint64_t> sleepers{0};

 private:
  void make_room();
  void note_time(const Item& passed, std::uint64_t at);

  std::uint32_t id_;
  std::int32_t device_;
  std::string name_;
  bool grows_;
  std::mutex* issuing_;
  // Who waits for a record, and who takes an item, looks at that one and not at a count
  // of all: he is then ordered after it and nothing later, so that the thread sanitizer
  // sees each wait that is missing.
  struct Slot {
    Item item;
    std::atomic<std::uint64_t> issued{0};  // k + 1: holds the item at position k
  };
  std::vector<Slot> ring_;
  // records_[k % size] > k: the record at position k is behind us.
  std::vector<std::atomic<std::uint64_t>> records_;
  // When that was, of the steady clock. Relaxed: whoever reads it saw the record.
  std::vector<std::atomic<std::chrono::steady_clock::time_point>> recorded_at_;
  std::uint64_t known_passed_ = 0;  // what the issuing side last saw of passed_
  std::atomic<std::uint64_t> issued_{0};
  // Of the draining thread: when all that it passed had happened, and when the timed
  // copy at the position ends.
  std::chrono::steady_clock::time_point happened_;
  std::uint64_t timed_position_ = ~std::uint64_t{0};
  std::chrono::steady_clock::time_point timed_end_;
  alignas(64) std::atomic<std::uint64_t> passed_{0};
};

/// True when the item at the head of `queue` waits for something that has not happened.
inline bool is_blocked(const Item& head) {
  const auto* wait = std::get_if<WaitItem>(&head);
  return wait != nullptr && !wait->until.queue->has_passed_record(wait->until.position);
}

/// Does what an item says.
void run_item(const Item& item);

/// Does what the head of `queue` says and goes past it.
void run_head(Queue& queue);

}  // namespace pipeline::host
