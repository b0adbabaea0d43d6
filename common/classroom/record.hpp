/// \file
/// What a chapter measured in a run that was kept.
///
/// The file is chapters/NN_name/recorded.json. `workbook record NN` writes it, and the
/// chapter's page shows it.
///
///     {"chapter": "10", "name": "gpipe", "level": "replay", "date": "2026-03-01",
///      "machine": "2 cores, no GPU",
///      "rows": [{"what": …, "predicted": 6, "measured": 6, "ratio": 1,
///                "headline": true}, …]}
///
/// The date is UTC's. A ratio that does not exist is null; times are as `what` says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// A line of the table.
struct RecordedRow {
  std::string what;             ///< with the unit
  double predicted = 0;         ///< in the unit that `what` names
  double measured = 0;          ///< likewise
  std::optional<double> ratio;  ///< measured over predicted, where it exists
  bool headline = false;        ///< the row that stands for the chapter
};

/// One run of one chapter.
struct Record {
  std::string chapter;            ///< "10"
  std::string name;               ///< "gpipe"
  std::string level;              ///< how the measured column came about: "replay"
  std::string date;               ///< "2026-03-01"
  std::string machine;            ///< its class: "2 cores, no GPU"
  std::vector<RecordedRow> rows;  ///< of its table, in order
};

/// Refused, with what is wrong, where it is not a whole record.
Expected<Record> parse_record(std::string_view text);

/// The record of what a chapter's --report wrote; refused as above.
Expected<Record> record_of_report(std::string_view report, std::string date,
                                  std::string machine);

/// Its file.
std::string to_text(const Record& record);

/// As HTML: a table whose caption names level, machine and date.
std::string as_table(const Record& record);

/// Today in UTC, as records name it.
std::string date_of_today();

/// What this runs on, as records name it: "2 cores, no GPU".
std::string class_of_machine();

}  // namespace pipeline
