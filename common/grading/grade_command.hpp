/// \file
/// What `workbook grade` and `workbook gradescope` do. Both return the exit code.
#pragma once

#include <string>

#include "classroom/workspace.hpp"

namespace pipeline {

/// The options of `grade`, as they were typed; empty where they were not.
struct GradeAsked {
  std::string folder, exercise;               ///< --exercise
  std::string roster, due, hidden, seed;      ///< options of that name
  std::string tier, patience, jobs;           ///< options of that name
  std::string output;                         ///< --output
  std::string canvas, canvas_column, moodle;  ///< --canvas, --canvas-column, --moodle
  bool per_student = false, unsafe = false;   ///< --per-student, --unsafe
  bool anonymous = false, json = false;       ///< --anonymous, --json
};

/// Grades a folder of submissions: prints the table and writes every report. With
/// `json` it prints, instead of the table:
///
///     {"exercise": "01", "tier": "bubblewrap", "per_student": false,
///      "points_possible": 9, "reports": FOLDER, "judged": 30, "reused": 270,
///      "submissions": [{"id", "name", "status", "points", "late_days", "mistake",
///                       "notes": […], "tests": [{"name", "points", "hidden",
///                       "passed"}, …]}, …],
///      "notes": […]}
///
/// 0 graded; 1 where the grader failed on some, which another run tries again; 2 bad
/// input; 3 there is no sandbox here; 130 interrupted, and what was graded is kept.
int grade_command(const Workspace& at, const GradeAsked& asked);

/// The options of `gradescope`, as they were typed; empty where they were not.
struct GradescopeAsked {
  /// Its number, and where the archive goes.
  std::string exercise, output = "autograder.zip";
  std::string hidden, seed;  ///< options of that name
};

/// Writes the archive that Gradescope's autograder is made from.
int gradescope_command(const Workspace& at, const GradescopeAsked& asked);

}  // namespace pipeline
