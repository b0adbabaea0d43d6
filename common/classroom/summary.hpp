/// \file
/// What each chapter predicted and measured, in one table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classroom/catalogue.hpp"

namespace pipeline {

/// The row that stands for a chapter.
struct ChapterSummary {
  Unit chapter;           ///< which one
  int exit_code = 0;      ///< of its program
  bool reported = false;  ///< false: it left no readable report, the rest is empty
  std::string what;       ///< the row's quantity, with its unit
  double predicted = 0;   ///< the row's
  double measured = 0;    ///< the row's
  double ratio = 0;       ///< not a number where it does not exist
  std::string level;      ///< how the measured number came about
};

/// From what a chapter wrote to its --report file; the format is described at
/// `run_chapter`. The headline is taken, else the first row.
ChapterSummary read_summary(const Unit& chapter, int exit_code, std::string_view json);

/// Chapter, prediction, measurement, ratio, level, and below it what was predicted;
/// "not run" where there is no report.
std::string summaries_as_text(const std::vector<ChapterSummary>& summaries);

/// {"chapters": [{"chapter", "name", "exit_code", "what", "predicted", "measured",
/// "ratio", "level"}, …]}; what is not there is null.
std::string summaries_as_json(const std::vector<ChapterSummary>& summaries);

}  // namespace pipeline
