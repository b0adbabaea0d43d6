#include "classroom/record.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

constexpr const char* kReport = R"({"chapter": "10", "name": "gpipe",
  "level": "replay", "rows": [
  {"what": "ms a step, m<4", "predicted": 20, "measured": 25, "ratio": 1.25,
   "headline": true},
  {"what": "surprises", "predicted": 0, "measured": 3, "ratio": null,
   "headline": false}]})";

std::string changed(const std::string& from, const std::string& to) {
  std::string report = kReport;
  const std::size_t at = report.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return report.replace(at, from.size(), to);
}

/// What is wrong with a report, or "" if nothing is.
std::string fault(const std::string& report, const std::string& date = "2026-03-01",
                  const std::string& machine = "2 cores, no GPU") {
  const auto record = record_of_report(report, date, machine);
  return record ? "" : record.error().what;
}

TEST(Record, KeepsWhatAReportSaysWithDateAndMachine) {
  const auto record = record_of_report(kReport, "2026-03-01", "2 cores, no GPU");
  ASSERT_TRUE(record) << record.error().what;
  EXPECT_EQ(record->chapter, "10");
  EXPECT_EQ(record->level, "replay");
  EXPECT_EQ(record->date, "2026-03-01");
  EXPECT_EQ(record->machine, "2 cores, no GPU");
  ASSERT_EQ(record->rows.size(), 2U);
  EXPECT_EQ(record->rows[0].measured, 25);
  EXPECT_EQ(record->rows[0].ratio, 1.25);
  EXPECT_TRUE(record->rows[0].headline);
  EXPECT_EQ(record->rows[1].ratio, std::nullopt);
  EXPECT_FALSE(record->rows[1].headline);
}

TEST(Record, IsReadBackAsItWasWritten) {
  const auto record = record_of_report(kReport, "2026-03-01", "1 core, a GPU");
  ASSERT_TRUE(record);
  const std::string text = to_text(*record);
  const auto again = parse_record(text);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(to_text(*again), text);
  EXPECT_EQ(again->machine, "1 core, a GPU");
}

TEST(Record, IsRefusedWhereSomethingIsMissingOrMadeUp) {
  EXPECT_EQ(fault("[]"), "a record's report is not JSON");
  EXPECT_EQ(fault(changed("\"replay\"", "\"guess\"")),
            "a record's level 'guess' is none");
  EXPECT_EQ(fault(kReport, "yesterday"), "a record's date 'yesterday' is none");
  EXPECT_EQ(fault(kReport, "2026-03-01", ""), "a record's machine is absent");
  EXPECT_EQ(fault(changed("\"chapter\"", "\"page\"")), "a record's chapter is absent");
  EXPECT_EQ(fault(changed("\"rows\"", "\"lines\"")), "a record's rows are absent");
  EXPECT_EQ(fault(changed("\"measured\": 25", "\"measured\": null")),
            "a record's row 'ms a step, m<4' lacks a number");
  EXPECT_EQ(fault(changed("\"surprises\"", "\"\"")), "a record's row has no name");
  EXPECT_EQ(parse_record("half a {").error().what, "a record's text is not JSON");
}

TEST(Record, IsATableThatNamesItsLevel) {
  const auto record = record_of_report(kReport, "2026-03-01", "2 cores, no GPU");
  ASSERT_TRUE(record);
  const std::string table = as_table(*record);
  EXPECT_NE(table.find("level <b>replay</b>, on 2 cores, no GPU, 2026-03-01"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("ms a step, m&lt;4</th><td>20</td><td>25</td><td>1.250</td>"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("<td>0</td><td>3</td><td>none</td>"), std::string::npos)
      << table;
}

TEST(Record, NamesTodayAndTheMachine) {
  EXPECT_EQ(date_of_today().size(), 10U);
  EXPECT_EQ(fault(kReport, date_of_today(), class_of_machine()), "");
  EXPECT_NE(class_of_machine().find(" GPU"), std::string::npos);
}

}  // namespace
}  // namespace pipeline
