#include "grading/dates.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace pipeline {
namespace {

TEST(Dates, ReadsTheTimesOfPlatforms) {
  // Gradescope's files, with and without a zone of its own; ISO 8601.
  EXPECT_EQ(parse_time("2023-01-01 12:34:56.789000000 Z"), 1672576496);
  EXPECT_EQ(parse_time("2017-06-01 14:22:32.365935000 -07:00"), 1496352152);
  EXPECT_EQ(parse_time("2017-06-01T14:22:32.365935-07:00"), 1496352152);
  EXPECT_EQ(parse_time("1970-01-02T00:00:00Z"), 86400);
  EXPECT_EQ(parse_time("1970-01-02 00:30 UTC"), 88200);
  EXPECT_EQ(parse_time("1970-01-02 01:30 +0130"), 86400);
}

TEST(Dates, ADayMeansItsLastSecondOfLocalTime) {
  std::tm last = {};
  last.tm_year = 126;
  last.tm_mon = 2;
  last.tm_mday = 1;
  last.tm_hour = 23;
  last.tm_min = 59;
  last.tm_sec = 59;
  last.tm_isdst = -1;
  EXPECT_EQ(parse_time("2026-03-01"), std::mktime(&last));
  EXPECT_EQ(parse_time("2026-03-01 23:59:59"), std::mktime(&last));
}

TEST(Dates, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "tomorrow", "2026-02-30", "2026-13-01", "2026-3-1", "2026-03-01 24:00",
        "2026-03-01 12:60", "2026-03-01 12:00 CET", "2026-03-01 12:00Z and more",
        "03/01/2026", "2026-03-01x"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(Dates, CountsLateDaysUpwardsSoThatASecondIsSeen) {
  EXPECT_EQ(days_late(1000, 1000), 0);
  EXPECT_EQ(days_late(0, 1000), 0);
  EXPECT_EQ(days_late(1001, 1000), 0.01);
  EXPECT_EQ(days_late(86400, 0), 1);
  EXPECT_EQ(days_late(86400 * 5 / 2, 0), 2.5);
}

}  // namespace
}  // namespace pipeline
