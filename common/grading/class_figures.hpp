/// \file
/// A class in figures: how many passed which test, and fell for which mistake.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grading/gradebook.hpp"

namespace pipeline {

/// All there are, in the order in which they are shown.
inline constexpr std::array<Status, 7> kStatuses = {
    Status::Ok,     Status::Compile, Status::Timeout,    Status::Crash,
    Status::Memory, Status::Missing, Status::GraderError};

/// How many students a named mistake explains: those whose failures are the ones that
/// it makes.
struct MistakeCount {
  Mistake mistake;                      ///< which one
  std::vector<const Graded*> students;  ///< in the gradebook's order
};

/// All figures of one class.
struct ClassFigures {
  std::array<int, kStatuses.size()> statuses = {};  ///< in the order of kStatuses
  int handed_in = 0;        ///< what was judged: neither missing nor a grader's error
  std::vector<int> passed;  ///< of those, for each test of the gradebook
  double mean = 0;          ///< points of those; 0 where there are none
  double median = 0;        ///< of the same points
  /// The most frequent first, then by file; mistakes that nobody made come last.
  std::vector<MistakeCount> mistakes;
  int unexplained = 0;  ///< ran, failed, and by no named mistake
};

/// Holds pointers into the gradebook.
ClassFigures figures_of(const Gradebook& gradebook);

/// A share as "67 %"; "-" of none. Never "100 %" or "0 %" for what is not all or none.
std::string percent(int part, int of);

/// The sandbox's tier, and what it leaves open where it is not the best.
std::string sandbox_in_words(std::string_view tier);

}  // namespace pipeline
