/// \file
/// What an autograder hands to Gradescope: results.json, by
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/ ("Output format").
#pragma once

#include <string>

#include "grading/gradebook.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// A student's results.json, written from `view_for_student`: the score and, as texts,
/// never as markup, what became of the answer; a case for each test that is not hidden;
/// and one for each hidden test ("Hidden test 1"), with `hidden` as its visibility, so
/// that only instructors see it. The hints are part of the text at the top. The score
/// is raw: Gradescope counts late days itself.
///
/// Refuses a grader's error: an autograder that writes no results.json and exits with
/// an error leaves the student's earlier score as it was.
Expected<std::string> gradescope_results(const Gradebook& gradebook,
                                         const Graded& graded);

}  // namespace pipeline
