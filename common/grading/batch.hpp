/// \file
/// All submissions of a class, graded: several at once, each answer that is new once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/cache.hpp"
#include "grading/judge.hpp"
#include "grading/submission.hpp"
#include "grading/verdict.hpp"

namespace pipeline {

/// Judges one answer. `judge` with a kit, or what a test puts in its place.
using JudgeAnswer = std::function<Verdict(std::string_view, const JudgeOptions&)>;

/// How a class is graded.
struct BatchOptions {
  std::string kit_hash;         ///< of the exercise's kit, for the cache
  std::vector<TestInfo> tests;  ///< of the kit
  JudgeOptions judging;         ///< but the slot and, with `per_student`, the seed
  bool per_student = false;     ///< a seed of each student, drawn from `judging.seed`
  int jobs = 1;                 ///< judged at once
  /// Whether to stop: no answer is begun from then on.
  std::function<bool()> stopped;
};

struct Batch {
  std::vector<Verdict> verdicts;  ///< one a submission, in their order
  int judged = 0;                 ///< how often an answer was judged
  int reused = 0;                 ///< submissions whose verdict was there already
  int faults = 0;                 ///< submissions that the grader failed on
  bool whole = true;              ///< false: it was stopped, verdicts are missing
};

/// Of everybody's seed and one student's id, the student's own.
std::string seed_of(const std::string& seed, const std::string& student);

/// Answers that are the same, with the same seed, share a verdict. An answer that
/// deserves another try, or on which the grader failed, is judged again at the end,
/// alone. A grader's error is not kept; where the same answer was once judged without
/// one on the same tests, by another kit or seed, that verdict stands, with a note.
Batch grade_all(const std::vector<Submission>& submissions, const BatchOptions& options,
                const Cache& cache, const JudgeAnswer& judge);

}  // namespace pipeline
