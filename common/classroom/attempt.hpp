/// \file
/// One try at an exercise: the student's file, built and put to the tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "classroom/catalogue.hpp"
#include "classroom/console.hpp"
#include "classroom/test_report.hpp"
#include "classroom/workspace.hpp"

namespace pipeline {

/// What became of one try.
struct Attempt {
  /// How it ended.
  enum class End : std::uint8_t {
    Tested,          ///< `report` says what came out
    DoesNotCompile,  ///< `said`: what the compiler said, with paths of the checkout
    BrokeOff,        ///< `said`: it crashed, or ran for 20 seconds, and in which test
    Stopped,         ///< by Ctrl-C, or because it was not wanted any more
  };
  End end = End::Stopped;  ///< which of these
  std::string answer;      ///< the text of the student's file when it was begun
  TestReport report;       ///< of the tests, where they ran to their end
  std::string said;        ///< what there is to read where they did not

  /// Whether every test passed.
  bool solved() const;
};

/// Builds the student's file and runs the tests on it. Refuses a file that is gone or
/// that cannot be read. `unwanted` as in ProcessOptions.
Expected<Attempt> attempt_exercise(const Workspace& at, const Unit& exercise,
                                   const std::function<bool()>& unwanted = {});

/// Remembers what came of it, if the file is still the one that was judged.
Expected<void> remember(const Workspace& at, const Unit& exercise,
                        const Attempt& attempt);

/// The exercise, a line for each test, and what to mend first.
std::string attempt_as_text(const Unit& exercise, const Attempt& attempt,
                            const Look& look);

/// What to mend first, and nothing else: the first error of the compiler, why it broke
/// off, or the first test that fails and its message. Empty when all is well.
std::string first_to_mend(const Unit& exercise, const Attempt& attempt,
                          const Look& look);

/// "4 of 6 tests pass, 5 of 9 points."
std::string score_of(const Attempt& attempt);

/// {"exercise", "solved", "points", "of", "tests": [{"name", "outcome", "points",
/// "message"}, …]}, and "error" where no test could run; "of" is null then.
std::string attempt_as_json(const Unit& exercise, const Attempt& attempt);

}  // namespace pipeline
