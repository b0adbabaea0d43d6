#include "device/host_drain.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace pipeline::host {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

// Waking a thread takes 20 to 30 µs, an action 1 ms or more. Looking on for twice the
// wake-up time spares it where devices keep step, and burns at most 5 % of an action.
constexpr microseconds kSpin{50};
constexpr microseconds kNap{30};

std::uint64_t bit_of(std::size_t device) { return std::uint64_t{1} << (device % 64); }

}  // namespace

Drainer::Drainer(std::vector<Bell>& bells, std::size_t own, Idle idle,
                 const Delay& delay)
    : bells_(bells), own_(own), idle_(idle), delay_(delay), thread_([this] {
        drain();
      }) {}

Drainer::~Drainer() {
  stop_ = true;
  wake();
  thread_.join();
}

void Drainer::add(Queue& queue) {
  const std::lock_guard lock(mutex_);
  queues_.push_back(&queue);
  changed_ = true;
}

void Drainer::remove(const Queue& queue) {
  const std::lock_guard lock(mutex_);
  std::erase(queues_, &queue);
  changed_ = true;
}

void Drainer::drain() {
  while (!stop_) {
    if (changed_.exchange(false)) {
      const std::lock_guard lock(mutex_);
      draining_ = queues_;
    }
    if (!run_some()) rest();
  }
}

// One thread serves the compute stream and the copy streams of a device:
//
//     compute  [ F0 ]●ready        [ F1 ]●ready           work: long
//     copy           ○wait [copy]●sent   ○wait [copy]     all else: short
//
// All short items that are ready go first, since another device may be waiting for the
// copy; F1 can only start 10 µs later. Then one piece of work, the streams in turn.
// Short items get as many passes as there are streams, enough for any chain of waits
// among them, and no more, so that they never keep work from running.
bool Drainer::run_some() {
  bool moved = false;
  for (std::size_t pass = 0; pass < draining_.size(); ++pass) {
    bool in_this_pass = false;
    for (Queue* queue : draining_) in_this_pass |= run_short_items(*queue);
    if (!in_this_pass) break;
    moved = true;
  }
  return run_one_work() || moved;
}

bool Drainer::run_short_items(Queue& queue) {
  bool moved = false;
  const std::uint64_t end = queue.issued();
  while (queue.passed() < end) {
    const Item& head = *queue.head();
    if (std::holds_alternative<Work>(head) || is_blocked(head)) break;
    if (queue.time_left().count() > 0) break;
    run(queue);
    moved = true;
  }
  return moved;
}

bool Drainer::run_one_work() {
  for (std::size_t i = 0; i < draining_.size(); ++i) {
    Queue& queue = *draining_[(turn_ + i) % draining_.size()];
    const Item* head = queue.head();
    if (head == nullptr || !std::holds_alternative<Work>(*head)) continue;
    turn_ = (turn_ + i + 1) % draining_.size();
    run(queue);
    return true;
  }
  return false;
}

void Drainer::run(Queue& queue) {
  if (delay_) {
    const std::uint64_t item = (std::uint64_t{queue.id()} << 32) + queue.passed();
    std::this_thread::sleep_for(microseconds(delay_(queue.device(), item)));
  }
  const bool is_record = std::holds_alternative<RecordItem>(*queue.head());
  run_head(queue);
  if (!is_record || queue.sleepers.load() == 0) return;
  const std::uint64_t sleepers = queue.sleepers.exchange(0);
  for (std::size_t device = 0; device < bells_.size(); ++device) {
    if ((sleepers & bit_of(device)) != 0) bells_[device].ring();
  }
}

// No ring is missed: whoever pushes rings after the push, and we listen before we look;
// whoever passes a record looks for sleepers after it, and we announce ourselves before
// we look a last time.
void Drainer::rest() {
  if (naps_beside_a_slow_copy()) return;
  if (idle_ == Idle::Poll) {
    std::this_thread::sleep_for(kNap);
    return;
  }
  if (idle_ == Idle::SpinThenSleep) {
    const auto until = steady_clock::now() + kSpin;
    while (steady_clock::now() < until) {
      if (anything_ready()) return;
      std::this_thread::yield();  // others may want the core
    }
  }
  const std::uint32_t heard = own_bell().heard();
  announce_sleep();
  if (anything_ready()) return;
  own_bell().sleep_unless_rung_since(heard);
}

// Other items may come before a copy on a slow link ends: look again soon.
bool Drainer::naps_beside_a_slow_copy() const {
  std::chrono::nanoseconds least{0};
  for (Queue* queue : draining_) {
    const Item* head = queue->head();
    if (head == nullptr) continue;
    const auto left = queue->time_left();
    if (left.count() > 0 && (least.count() == 0 || left < least)) least = left;
  }
  if (least.count() == 0) return false;
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(least, kNap));
  return true;
}

bool Drainer::anything_ready() const {
  if (stop_ || changed_) return true;
  return std::any_of(draining_.begin(), draining_.end(), [](const Queue* queue) {
    const Item* head = queue->head();
    return head != nullptr && !is_blocked(*head);
  });
}

void Drainer::announce_sleep() {
  for (const Queue* queue : draining_) {
    const Item* head = queue->head();
    if (head == nullptr) continue;
    if (const auto* wait = std::get_if<WaitItem>(head)) {
      wait->until.queue->sleepers.fetch_or(bit_of(own_));
    }
  }
}

void SeededDrain::drain(std::unique_lock<std::mutex>& issuing) {
  idle_.wait(issuing, [this] { return !draining_; });
  draining_ = true;
  while (Queue* queue = draw()) {
    const Item item = *queue->head();  // a copy: the ring may grow meanwhile
    issuing.unlock();
    run_item(item);
    issuing.lock();
    queue->pop();
  }
  deferred_.clear();
  draining_ = false;
  idle_.notify_one();
}

Queue* SeededDrain::draw() {
  ready_.clear();
  ready_but_deferred_.clear();
  bool all_empty = true;
  for (Queue* queue : queues_) {
    const Item* head = queue->head();
    if (head == nullptr) continue;
    all_empty = false;
    if (is_blocked(*head)) continue;
    (is_deferred(*queue) ? ready_but_deferred_ : ready_).push_back(queue);
  }
  const std::vector<Queue*>& from = ready_.empty() ? ready_but_deferred_ : ready_;
  // Waits only name what was issued before them, so the oldest item is always ready.
  assert(all_empty || !from.empty());
  if (from.empty()) return nullptr;
  return from[next_random() % from.size()];
}

bool SeededDrain::is_deferred(const Queue& queue) const {
  return std::any_of(deferred_.begin(), deferred_.end(), [&](const Point& until) {
    return until.queue == &queue && !queue.has_passed_record(until.position);
  });
}

// SplitMix64 (Steele, Lea, Flood 2014): the same draws on every machine.
std::uint64_t SeededDrain::next_random() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace pipeline::host
