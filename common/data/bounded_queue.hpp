/// \file
/// A queue between two threads that holds so many values at most.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace pipeline {

/// First in, first out; blocks a taker while it is empty and a giver while it is full.
template <typename T>
class BoundedQueue {
 public:
  /// `capacity` is at least 1.
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Blocks while it is full. Not after `close`.
  void push(T value) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return values_.size() < capacity_; });
    values_.push_back(std::move(value));
    has_value_.notify_one();
  }
  /// The oldest value; blocks while there is none. Nothing once it is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    has_value_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    has_room_.notify_one();
    return value;
  }
  /// No value follows.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_value_.notify_all();
  }

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable has_value_;
  std::condition_variable has_room_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace pipeline
