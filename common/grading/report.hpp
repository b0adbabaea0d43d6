/// \file
/// Everything that grading writes, out of a gradebook.
///
///     FOLDER/grades.csv          a row a student, points possible in the second
///     FOLDER/mistakes.csv        how many fell for which named mistake
///     FOLDER/times.csv           seconds: the only file that differs between runs
///     FOLDER/junit.xml           a suite a student
///     FOLDER/index.html          the class on one page, which needs nothing else
///     FOLDER/feedback/ID.html    what a student gets to read (see `file_name_of`)
///     FOLDER/gradescope/ID.json  the same as Gradescope's results.json
///     FOLDER/canvas.csv          Canvas's own export with the points filled in
///     FOLDER/moodle.csv          Moodle's grading worksheet, likewise
///
/// Each of them has its own header; this one puts them into files.
#pragma once

#include <filesystem>
#include <string>

#include "grading/gradebook.hpp"
#include "grading/report_exports.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// How a gradebook is written down.
struct ReportOptions {
  /// Leaves names, ids and what students wrote out of index.html: see `anonymous`.
  bool anonymous = false;
  /// What the pseudonyms are drawn with, so that nobody who knows an id finds its own:
  /// the secret seed.
  std::string secret;
  std::filesystem::path canvas;  ///< Canvas's export to fill in; empty: none
  std::string canvas_column;  ///< its assignment; empty: the one named as the exercise
  std::filesystem::path moodle;  ///< Moodle's worksheet to fill in; empty: none
};

/// Writes all of the above, each file whole or not at all; what belongs to a student
/// whose grading failed by our fault (`Status::GraderError`) is left as it was. Creates
/// `folder`. Refuses an export that it cannot fill in before it writes anything.
Expected<Warnings> write_reports(const Gradebook& gradebook,
                                 const std::filesystem::path& folder,
                                 const ReportOptions& options = {});

}  // namespace pipeline
