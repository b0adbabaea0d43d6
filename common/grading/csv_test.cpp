#include "grading/csv.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

TEST(Csv, ReadsQuotesCommasAndLineEndsWithinFields) {
  const auto rows = parse_csv("id,name\r\n7,\"Doe, \"\"student\"\"\r\n07\"\r\n");
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(*rows,
            (std::vector<CsvRow>{{"id", "name"}, {"7", "Doe, \"student\"\r\n07"}}));
}

TEST(Csv, ReadsWhatSpreadsheetsMakeOfIt) {
  const std::vector<CsvRow> expected = {{"id", "name"}, {"7", "a,b"}};
  EXPECT_EQ(parse_csv("\xEF\xBB\xBFid;name\n\n7;a,b"), expected);
  EXPECT_EQ(parse_csv("id\tname\n7\ta,b\n"), expected);
}

TEST(Csv, RefusesAQuoteThatIsNotClosedAndNamesItsLine) {
  const auto rows = parse_csv("id,name\n7,\"student");
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().what, "line 2 has a quote that is not closed");
}

TEST(Csv, WritesWhatItReads) {
  const CsvRow row = {"", "a,b", "\"quoted\"", "two\nlines", "plain"};
  const std::string line = to_csv(row);
  EXPECT_EQ(line, ",\"a,b\",\"\"\"quoted\"\"\",\"two\nlines\",plain\r\n");
  const auto read = parse_csv(line);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->front(), row);
}

}  // namespace
}  // namespace pipeline
