#include "runtime/team.hpp"

#include <utility>

namespace pipeline {

Team::Team(std::int32_t workers, std::function<void(std::int32_t)> job)
    : job_(std::move(job)) {
  for (std::int32_t worker = 0; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run() {
  std::unique_lock lock(mutex_);
  ++round_;
  busy_ = threads_.size();
  changed_.notify_all();
  changed_.wait(lock, [this] { return busy_ == 0; });
}

void Team::work(std::int32_t worker) {
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || round_ != done; });
    if (stop_) return;
    ++done;
    lock.unlock();
    job_(worker);
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }
}

}  // namespace pipeline
