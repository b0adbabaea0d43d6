#include "grading/roster.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

std::vector<RosterEntry> parse(std::string_view csv) {
  const auto roster = parse_roster(csv);
  EXPECT_TRUE(roster.has_value()) << roster.error().what;
  return roster ? *roster : std::vector<RosterEntry>{};
}

HandedIn handed(const std::string& id, const std::string& name = "") {
  HandedIn one;
  one.id = id;
  one.name = name.empty() ? id : name;
  return one;
}

TEST(Roster, ReadsAPlainTable) {
  const auto roster = parse(
      "Name,ID,Email,Due,Late\n"
      "Student Two,s2,two@example.edu,1970-01-02T00:00:00Z,\n"
      "Student One,s1,,,1.5\n");
  ASSERT_EQ(roster.size(), 2U);
  EXPECT_EQ(roster[0], (RosterEntry{"s1", "Student One", {"s1"}, {}, 1.5}));
  EXPECT_EQ(roster[1],
            (RosterEntry{"s2", "Student Two", {"s2", "two@example.edu"}, 86400, {}}));
}

TEST(Roster, ReadsWhatCanvasExports) {
  const auto roster = parse(
      "Student,ID,SIS User ID,SIS Login ID,Section,Ticks (17)\n"
      "    Points Possible,,,,,9\n"
      "\"Seven, Student\",12345,u7,seven,01,\n"
      "\"Student, Test\",99,,,01,\n");
  ASSERT_EQ(roster.size(), 1U);
  EXPECT_EQ(roster[0].id, "12345");
  EXPECT_EQ(roster[0].name, "Seven, Student");
  EXPECT_EQ(roster[0].ids, (std::vector<std::string>{"12345", "u7", "seven"}));
}

TEST(Roster, ReadsWhatGradescopeAndMoodleExport) {
  const auto gradescope = parse(
      "First Name,Last Name,SID,Email,Sections,Lateness (H:M:S)\n"
      "Student,Seven,0007,seven@example.edu,,36:00:00\n");
  ASSERT_EQ(gradescope.size(), 1U);
  EXPECT_EQ(gradescope[0].id, "0007");
  EXPECT_EQ(gradescope[0].name, "Student Seven");
  EXPECT_EQ(gradescope[0].late_days, 1.5);
  const auto moodle = parse(
      "Identifier,Full name,Email address,Status,Grade\n"
      "Participant 777,Student Seven,seven@example.edu,Submitted,\n");
  ASSERT_EQ(moodle.size(), 1U);
  EXPECT_EQ(moodle[0].id, "777");
}

TEST(Roster, RefusesWhatItCannotUseAndSaysWhere) {
  EXPECT_EQ(parse_roster("").error().what, "the roster has no column of ids");
  EXPECT_EQ(parse_roster("a,b\n1,2\n").error().what, "the roster has no column of ids");
  EXPECT_EQ(parse_roster("id\ns1\ns1\n").error().what,
            "two rows of the roster have the id s1");
  EXPECT_EQ(parse_roster("id,due\ns1,soon\n").error().what,
            "the roster's due date of s1 is 'soon'");
  EXPECT_EQ(parse_roster("id,late\ns1,very\n").error().what,
            "the roster's late days of s1 is 'very'");
  EXPECT_EQ(parse_roster("id,lateness\ns1,1:2\n").error().what,
            "the roster's lateness of s1 is '1:2'");
}

TEST(Roster, GivesEachSubmissionToTheStudentWhoseItIs) {
  const auto roster = parse(
      "id,name,email,folder\n"
      "1,\"Seven, Student\",seven@example.edu,\n"
      "2,Student Eight,,Team-Eight\n"
      "3,Student Nine,,\n"
      "4,Student Ten,,\n");
  std::vector<HandedIn> submissions = {handed("team-eight"), handed("someone"),
                                       handed("x9", "nobody"),
                                       handed("17", "Student Seven")};
  submissions[1].also = {"NOBODY@example.edu"};
  const MatchedClass all = match_roster(roster, submissions);
  ASSERT_EQ(all.students.size(), 4U);
  EXPECT_EQ(all.students[0].handed->id, "17");
  EXPECT_EQ(all.students[1].handed->id, "team-eight");
  EXPECT_FALSE(all.students[3].handed.has_value());
  EXPECT_EQ(all.notes.back(), "x9 is not in the roster: not graded");
  EXPECT_EQ(all.notes.front(), "someone is not in the roster: not graded");
}

TEST(Roster, ANameThatTwoStudentsHaveGivesNobodyASubmission) {
  const auto roster = parse("id,name\n1,Student Seven\n2,Seven Student\n");
  const MatchedClass all = match_roster(roster, {handed("x", "Student Seven")});
  EXPECT_FALSE(all.students[0].handed || all.students[1].handed);
  EXPECT_EQ(all.notes, std::vector<std::string>{"x is not in the roster: not graded"});
}

TEST(Roster, OfTwoSubmissionsTheLaterOneCounts) {
  const auto roster = parse("id,email\n1,seven@example.edu\n");
  HandedIn first = handed("1");
  HandedIn second = handed("seven@example.edu");
  first.when = 100;
  second.when = 200;
  MatchedClass all = match_roster(roster, {first, second});
  EXPECT_EQ(all.students[0].handed->id, "seven@example.edu");
  EXPECT_EQ(all.notes,
            std::vector<std::string>{"1 is an earlier submission of 1: not graded"});
  all = match_roster(roster, {second, first});
  EXPECT_EQ(all.students[0].handed->id, "seven@example.edu");
  EXPECT_EQ(all.notes,
            std::vector<std::string>{"1 is a second submission of 1: not graded"});
}

}  // namespace
}  // namespace pipeline
