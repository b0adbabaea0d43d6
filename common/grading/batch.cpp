#include "grading/batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "classroom/console.hpp"
#include "grading/sha256.hpp"

namespace pipeline {
namespace {

/// An answer to judge, and whose it is.
struct Job {
  CacheKey key;
  std::string seed;
  std::vector<std::size_t> submissions;
  std::optional<Verdict> verdict;
};

/// "graded 12 of 300, about 4 min left", where that can be seen.
class Progress {
 public:
  explicit Progress(std::size_t all) : all_(all) {}

  void done_one() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_)
            .count();
    const double left =
        seconds / static_cast<double>(done_) * static_cast<double>(all_ - done_);
    constexpr double kMinute = 60;
    const std::string time =
        left < kMinute ? std::to_string(static_cast<int>(left) + 1) + " s"
                       : std::to_string(static_cast<int>(left / kMinute) + 1) + " min";
    show_status("graded " + std::to_string(done_) + " of " + std::to_string(all_) +
                ", about " + time + " left");
  }

 private:
  std::mutex mutex_;
  std::size_t all_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

Verdict without_tests(Status status, const BatchOptions& options) {
  Verdict verdict;
  verdict.status = status;
  verdict.tier = to_text(options.judging.tier);
  for (const TestInfo& test : options.tests)
    verdict.tests.push_back({test, false, status, ""});
  return verdict;
}

bool has_tests(const Verdict& verdict, const std::vector<TestInfo>& tests) {
  return std::equal(
      verdict.tests.begin(), verdict.tests.end(), tests.begin(), tests.end(),
      [](const TestVerdict& a, const TestInfo& b) { return a.test == b; });
}

class Grader {
 public:
  Grader(const std::vector<Submission>& submissions, const BatchOptions& options,
         const Cache& cache, const JudgeAnswer& judge)
      : submissions_(submissions), options_(options), cache_(cache), judge_(judge) {}

  Batch run() {
    collect();
    judge_new();
    judge_again();
    return result();
  }

 private:
  void collect();
  void judge_new();
  void judge_again();
  Batch result();
  std::optional<Verdict> judge_one(const Job& job, int slot, bool patient);
  void keep(Job& job, Verdict verdict);
  bool stopped() const { return options_.stopped && options_.stopped(); }

  const std::vector<Submission>& submissions_;
  const BatchOptions& options_;
  const Cache& cache_;
  const JudgeAnswer& judge_;
  std::vector<Job> jobs_;
  std::vector<Job*> doubtful_;  ///< to be judged again
  std::mutex mutex_;            ///< of `doubtful_` and `batch_`
  Batch batch_;
};

/// Looks up what was judged before; equal answers become one job.
void Grader::collect() {
  std::map<CacheKey, std::size_t> known;
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    const Submission& submission = submissions_[i];
    if (!submission.found) continue;
    const std::string student = options_.per_student ? submission.id : "";
    const std::string seed = options_.per_student
                                 ? seed_of(options_.judging.seed, submission.id)
                                 : options_.judging.seed;
    const CacheKey key = cache_key(submission.answer, student, options_.kit_hash, seed,
                                   options_.judging.tier);
    const auto [it, fresh] = known.emplace(key, jobs_.size());
    if (fresh) jobs_.push_back({key, seed, {}, cache_.find(key)});
    Job& job = jobs_[it->second];
    job.submissions.push_back(i);
    if (job.verdict) ++batch_.reused;
  }
}

/// A worker a slot takes the next job that has no verdict until there is none.
void Grader::judge_new() {
  std::vector<Job*> open;
  for (Job& job : jobs_) {
    if (!job.verdict) open.push_back(&job);
  }
  Progress progress(open.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](int slot) {
    for (std::size_t i = next++; i < open.size() && !stopped(); i = next++) {
      auto verdict = judge_one(*open[i], slot, false);
      if (!verdict) return;
      if (verdict->status == Status::GraderError || deserves_another_try(*verdict)) {
        // Not kept yet: a run that is killed here must try it twice as well.
        const std::lock_guard<std::mutex> lock(mutex_);
        doubtful_.push_back(open[i]);
      } else {
        keep(*open[i], std::move(*verdict));
      }
      progress.done_one();
    }
  };
  std::vector<std::thread> workers;
  const int jobs = std::min(options_.jobs, static_cast<int>(open.size()));
  workers.reserve(static_cast<std::size_t>(jobs));
  for (int slot = 0; slot < jobs; ++slot) workers.emplace_back(work, slot);
  for (std::thread& worker : workers) worker.join();
}

void Grader::judge_again() {
  std::sort(doubtful_.begin(), doubtful_.end(),
            [](const Job* a, const Job* b) { return a->key < b->key; });
  for (Job* job : doubtful_) {
    if (stopped()) return;
    show_status("once more, alone: " + submissions_[job->submissions.front()].id);
    if (auto verdict = judge_one(*job, 0, true)) keep(*job, std::move(*verdict));
  }
}

/// Nothing where it was stopped meanwhile: what was cut short is no verdict.
std::optional<Verdict> Grader::judge_one(const Job& job, int slot, bool patient) {
  JudgeOptions options = options_.judging;
  options.seed = job.seed;
  options.slot = slot;
  options.patient = patient;
  const Submission& submission = submissions_[job.submissions.front()];
  Verdict verdict;
  try {
    verdict = judge_(submission.answer, options);
  } catch (const std::exception& fault) {
    verdict = without_tests(Status::GraderError, options_);
    verdict.notes.emplace_back(fault.what());
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++batch_.judged;
  }
  if (stopped()) return std::nullopt;
  return verdict;
}

void Grader::keep(Job& job, Verdict verdict) {
  if (verdict.status == Status::GraderError) {
    auto earlier = cache_.find_earlier(job.key.who);
    if (earlier && has_tests(*earlier, options_.tests)) {
      earlier->notes.emplace_back(
          "the grader failed this time: this is what an earlier run came to");
      verdict = std::move(*earlier);
    }
  } else if (const auto kept = cache_.keep(job.key, verdict); !kept) {
    verdict.notes.push_back(kept.error().what);
  }
  job.verdict = std::move(verdict);
}

Batch Grader::result() {
  show_status("");
  batch_.verdicts.assign(submissions_.size(), without_tests(Status::Missing, options_));
  for (const Job& job : jobs_) {
    if (!job.verdict) batch_.whole = false;
    for (const std::size_t i : job.submissions) {
      batch_.verdicts[i] =
          job.verdict ? *job.verdict : without_tests(Status::GraderError, options_);
    }
  }
  batch_.faults = static_cast<int>(
      std::count_if(batch_.verdicts.begin(), batch_.verdicts.end(),
                    [](const auto& it) { return it.status == Status::GraderError; }));
  return std::move(batch_);
}

}  // namespace

std::string seed_of(const std::string& seed, const std::string& student) {
  return sha256(sha256(seed) + sha256(student));
}

Batch grade_all(const std::vector<Submission>& submissions, const BatchOptions& options,
                const Cache& cache, const JudgeAnswer& judge) {
  return Grader(submissions, options, cache, judge).run();
}

}  // namespace pipeline
