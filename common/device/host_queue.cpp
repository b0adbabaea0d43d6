#include "device/host_queue.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace pipeline::host {
namespace {

struct RunItem {
  void operator()(std::monostate) const {}
  void operator()(const Work& work) const { work(nullptr); }
  void operator()(const CopyItem& copy) const {
    if (copy.to.bytes != 0) std::memmove(copy.to.data, copy.from.data, copy.to.bytes);
    if (copy.received != nullptr) {
      copy.received->fetch_add(copy.to.bytes, std::memory_order_relaxed);
    }
  }
  void operator()(const ZeroItem& zero) const {
    if (zero.region.bytes != 0) std::memset(zero.region.data, 0, zero.region.bytes);
  }
  void operator()(const RecordItem&) const {}  // passing it is the record
  void operator()(const WaitItem&) const {}    // whoever drains looked first
  void operator()(const MarkItem& item) const {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    item.mark->nanoseconds.store(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(),
        std::memory_order_relaxed);
  }
  void operator()(const SignalItem& item) const { item.signal->raise(); }
};

}  // namespace

void run_item(const Item& item) { std::visit(RunItem{}, item); }

void run_head(Queue& queue) {
  run_item(*queue.head());
  queue.pop();
}

Point Queue::push(const Item& item) {
  const std::lock_guard lock(*issuing_);
  make_room();
  const std::uint64_t position = issued_.load(std::memory_order_relaxed);
  Slot& slot = ring_[position % ring_.size()];
  slot.item = item;
  slot.issued.store(position + 1, std::memory_order_release);
  issued_.store(position + 1, std::memory_order_relaxed);
  return {this, position};
}

std::chrono::nanoseconds Queue::time_left() {
  const auto* copy = std::get_if<CopyItem>(head());
  if (copy == nullptr || copy->takes.count() == 0) return {};
  const std::uint64_t position = passed_.load(std::memory_order_relaxed);
  if (timed_position_ != position) {
    timed_position_ = position;
    timed_end_ = std::max(happened_, copy->issued) + copy->takes;
  }
  return std::max(
      std::chrono::nanoseconds(timed_end_ - std::chrono::steady_clock::now()),
      std::chrono::nanoseconds(0));
}

// What takes time has happened by now, a timed copy when its time was over, and what
// was waited for when it was recorded. All else happens with what is before it.
void Queue::note_time(const Item& passed, std::uint64_t at) {
  if (timed_position_ == at) {
    happened_ = timed_end_;
  } else if (const auto* wait = std::get_if<WaitItem>(&passed)) {
    const auto& times = wait->until.queue->recorded_at_;
    const auto& recorded = times[wait->until.position % times.size()];
    happened_ = std::max(happened_, recorded.load(std::memory_order_relaxed));
  } else if (std::holds_alternative<RecordItem>(passed)) {
    recorded_at_[at % recorded_at_.size()].store(happened_, std::memory_order_relaxed);
  } else if (std::holds_alternative<Work>(passed) ||
             std::holds_alternative<CopyItem>(passed) ||
             std::holds_alternative<ZeroItem>(passed)) {
    happened_ = std::chrono::steady_clock::now();
  }
}

// `passed_` is read only when the ring looks full: each read orders the issuing thread
// after the work that it saw done, and too much order hides races from the thread
// sanitizer. A full ring holds enough to do, so looking again now and then is enough.
void Queue::make_room() {
  const std::uint64_t position = issued_.load(std::memory_order_relaxed);
  if (position - known_passed_ < ring_.size()) return;
  known_passed_ = passed();
  while (!grows_ && position - known_passed_ == ring_.size()) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    known_passed_ = passed();
  }
  if (position - known_passed_ < ring_.size()) return;
  std::vector<Slot> larger(2 * ring_.size());
  for (std::uint64_t at = known_passed_; at < position; ++at) {
    larger[at % larger.size()].item = ring_[at % ring_.size()].item;
    larger[at % larger.size()].issued = at + 1;
  }
  ring_.swap(larger);
}

}  // namespace pipeline::host
