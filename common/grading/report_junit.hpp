/// \file
/// The gradebook as JUnit XML, for whatever shows test results. The form is that of the
/// schema in published/junit-10.xsd (Jenkins' xUnit plugin, MIT licence).
#pragma once

#include <string>

#include "grading/gradebook.hpp"

namespace pipeline {

/// A `testsuite` a student, a `testcase` a test, with `failure` where it failed,
/// `error` where its worker did not come to an end or the answer does not compile,
/// `skipped` where there was nothing to run; status, points, late days and the sandbox
/// are `properties`. It holds hidden tests and messages: for instructors.
std::string grades_as_junit(const Gradebook& gradebook);

}  // namespace pipeline
