#include "timeline/csv.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "timeline/drawing_test_support.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

std::vector<std::vector<std::string>> table(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');)
      rows.back().push_back(field);
  }
  return rows;
}

TEST(Csv, HasALineForEachActionInTheOrderOfTheRows) {
  const Drawn d = drawn("1f1b", 4, 8);
  const auto rows = table(*to_csv(d.schedule, d.timeline));
  ASSERT_EQ(rows[0],
            (std::vector<std::string>{"device", "kind", "stage", "micro_batch", "slice",
                                      "start", "end", "copy", "version"}));
  std::size_t line = 1;
  for (std::size_t device = 0; device < d.schedule.rows.size(); ++device) {
    for (std::size_t i = 0; i < d.schedule.rows[device].size(); ++i, ++line) {
      const Action& action = d.schedule.rows[device][i].action;
      ASSERT_LT(line, rows.size());
      ASSERT_EQ(rows[line].size(), 9U);
      EXPECT_EQ(rows[line][0], std::to_string(device));
      EXPECT_EQ(rows[line][1], kind_name(action.kind));
      EXPECT_EQ(rows[line][2], std::to_string(action.stage));
      EXPECT_EQ(rows[line][3], std::to_string(action.micro_batch));
      EXPECT_EQ(rows[line][4], std::to_string(action.slice));
      EXPECT_EQ(std::stod(rows[line][5]), d.timeline.spans[device][i].start);
      EXPECT_EQ(std::stod(rows[line][6]), d.timeline.spans[device][i].end);
      EXPECT_EQ(rows[line][7], "0");
      EXPECT_EQ(rows[line][8], action.kind == ActionKind::Update ? "1" : "0");
    }
  }
  EXPECT_EQ(line, rows.size());
}

TEST(Csv, KeepsUpdatesThatTakeNoTime) {
  const Drawn d = drawn("gpipe", 2, 3);
  const std::string csv = *to_csv(d.schedule, d.timeline);
  EXPECT_NE(csv.find("0,update,0,2,0,12,12,0,1\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("1,update,1,2,0,10,10,0,1\n"), std::string::npos) << csv;
}

TEST(Csv, NamesTheCopyAndTheVersionOfTheWeights) {
  const Drawn two = drawn("dualpipe", 2, 4);
  const std::string copies = *to_csv(two.schedule, two.timeline);
  EXPECT_NE(copies.find("0,forward,0,0,0,0,1,0,0\n"), std::string::npos) << copies;
  EXPECT_NE(copies.find("1,forward,0,2,0,0,1,1,0\n"), std::string::npos) << copies;
  const Drawn stale = drawn("pipedream", 2, 3);
  const std::string versions = *to_csv(stale.schedule, stale.timeline);
  // Stage 1 forwards micro-batch 2 after two updates, stage 0 after one.
  EXPECT_NE(versions.find("0,forward,0,2,0,6,7,0,1\n"), std::string::npos) << versions;
  EXPECT_NE(versions.find("1,forward,1,2,0,7,8,0,2\n"), std::string::npos) << versions;
}

TEST(Csv, KeepsNanosecondsOfMeasuredTimes) {
  Drawn d = one_row({{{ActionKind::Forward, 1, 0, 7}, false}});
  d.timeline.spans[0][0] = {0.000000125, 12.000000001};
  EXPECT_EQ(table(*to_csv(d.schedule, d.timeline))[1],
            (std::vector<std::string>{"0", "forward", "0", "7", "1", "0.000000125",
                                      "12.000000001", "0"}));
}

TEST(Csv, RefusesATimelineOfAnotherSchedule) {
  EXPECT_FALSE(to_csv(drawn("gpipe", 2, 3).schedule, drawn("gpipe", 3, 3).timeline));
  EXPECT_FALSE(to_csv(drawn("gpipe", 2, 3).schedule, drawn("gpipe", 2, 4).timeline));
}

}  // namespace
}  // namespace pipeline
