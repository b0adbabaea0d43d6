/// \file
/// The tables of learning platforms, filled in: what an instructor exported there and
/// imports again. Only the cells that are ours change; every other byte stays, marks,
/// quotes and line ends too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grading/gradebook.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What an instructor should hear: students that an export does not know, points
/// possible that differ. A sentence each.
using Warnings = std::vector<std::string>;

/// An export with our cells filled in.
struct Filled {
  std::string text;   ///< the whole table
  Warnings warnings;  ///< for the instructor
};

/// Canvas, "Export Entire Gradebook" (lib/gradebook_exporter.rb of canvas-lms): rows
/// below "Points Possible" are students, found by `SIS Login ID`, `SIS User ID`,
/// `Integration ID` or `ID`. `column` names the assignment, with or without the number
/// that Canvas puts behind it; empty: the one that has the exercise's name in its own.
/// Points are raw; who handed in nothing has 0. Left as they are: who is excused
/// ("EX"), to whom the assignment was not given ("N/A"), and a grader's error.
Expected<Filled> fill_canvas(std::string_view exported, const Gradebook& gradebook,
                             std::string_view column = {});

/// Moodle, "Download grading worksheet" (mod/assign/feedback/offline), in English:
/// students are found by `Identifier` ("Participant 17", or 17 alone), `ID number`,
/// `Email address` or `Username`. Fills `Grade`, and `Feedback comments` where the
/// worksheet has them and nobody wrote anything else into them. Moodle reads comments
/// as HTML: nothing in ours is markup but our own paragraphs.
Expected<Filled> fill_moodle(std::string_view worksheet, const Gradebook& gradebook);

}  // namespace pipeline
