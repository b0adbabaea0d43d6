/// \file
/// What a GoogleTest program says of itself in its JSON report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// What came of one test.
enum class Outcome {
  Passed,  ///< all that it asserts holds
  Failed,  ///< something does not
  Skipped  ///< it said that it cannot run here
};

/// One test of a program.
struct TestCase {
  std::string name;                   ///< "Suite.Name"
  Outcome outcome = Outcome::Passed;  ///< what came of it
  std::string message;                ///< of its failures
  int points = 0;                     ///< what `POINTS` said it is worth
  std::string hint = {};              ///< what `HINT` said
  bool drawn = false;                 ///< it drew inputs: see draw.hpp
  bool voids_all = false;             ///< `VOIDS_ALL` was said
};

/// What a program's tests came to.
struct TestReport {
  std::vector<TestCase> cases;  ///< in the order in which they ran

  /// How many cases ended like that.
  int count(Outcome outcome) const;
  int points() const;         ///< what could be had
  int points_earned() const;  ///< of the cases that passed
  /// The case of this name, or null.
  const TestCase* find(std::string_view name) const;
};

/// Reads what `--gtest_output=json:` wrote. Cases that a filter left out are not in the
/// result. Refuses a text that is not such a report, e.g. a truncated one.
Expected<TestReport> parse_test_report(std::string_view json);

/// "TickCount.IsSix" as "tick count is six".
std::string test_in_words(std::string_view full_name);

/// A message without the lines that name file and line of the test, of no use to a
/// student, who is not to change it, and without those that say but "Failed".
std::string without_places(std::string_view message);

}  // namespace pipeline
