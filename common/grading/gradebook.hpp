/// \file
/// Everybody's verdicts on one exercise: what every report is written from.
#pragma once

#include <string>
#include <vector>

#include "classroom/catalogue.hpp"
#include "grading/submission.hpp"
#include "grading/verdict.hpp"

namespace pipeline {

/// What one student handed in, and what it came to.
struct Graded {
  Submission submission;  ///< its answer may be empty here
  Verdict verdict;        ///< of the answer
};

/// Everybody's verdicts on one exercise.
struct Gradebook {
  Unit exercise;                  ///< which one
  std::vector<TestInfo> tests;    ///< all that count, hidden ones too
  std::vector<Mistake> mistakes;  ///< named ones, for the report of misconceptions
  std::vector<Graded> students;   ///< in the order of their ids
  std::string tier;               ///< of the sandbox
  bool per_student = false;       ///< inputs were drawn for each apart

  /// The most points that can be had.
  int of() const {
    int sum = 0;
    for (const TestInfo& test : tests) sum += test.points;
    return sum;
  }
};

}  // namespace pipeline
