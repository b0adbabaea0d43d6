/// \file
/// Threads that do the same job again and again, and sleep in between: starting threads
/// for every run would allocate, and cost as much as a small action.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pipeline {

/// So many threads that do one job each time they are told to.
class Team {
 public:
  /// `job(worker)` for worker = 0 … workers-1 is what each `run` does once.
  Team(std::int32_t workers, std::function<void(std::int32_t worker)> job);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Returns when all have done the job.
  void run();

 private:
  void work(std::int32_t worker);

  std::function<void(std::int32_t)> job_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;  // last: starts when all else is there
};

}  // namespace pipeline
