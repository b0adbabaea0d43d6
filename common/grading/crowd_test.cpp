#include "grading/crowd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "grading/attacks.hpp"

namespace pipeline {
namespace {

std::vector<CrowdMember> crowd_of(std::int32_t students, std::uint32_t seed) {
  const auto units = list_units(WORKBOOK_ROOT, "exercises");
  const auto crowd =
      make_crowd(WORKBOOK_ROOT, *find_unit(units, "exercise", "01"), students, seed);
  if (crowd) return *crowd;
  ADD_FAILURE() << crowd.error().what;
  return {};
}

std::size_t count(const std::vector<CrowdMember>& crowd, Handed handed) {
  return static_cast<std::size_t>(std::count_if(
      crowd.begin(), crowd.end(),
      [&](const CrowdMember& member) { return member.handed == handed; }));
}

TEST(Crowd, HasATenthOfAttackersAndSomeOfEveryOtherKind) {
  const auto crowd = crowd_of(300, 1);
  ASSERT_EQ(crowd.size(), 300U);
  EXPECT_EQ(count(crowd, Handed::Attack), 30U);
  for (const Handed handed : {Handed::Solution, Handed::Starter, Handed::Mistake,
                              Handed::Partial, Handed::Unfinished, Handed::Missing})
    EXPECT_GE(count(crowd, handed), 5U);
}

TEST(Crowd, HandsInNoTextTwice) {
  std::set<std::string> texts;
  std::size_t found = 0;
  for (const CrowdMember& member : crowd_of(300, 1)) {
    if (member.answer.empty()) continue;
    texts.insert(member.answer);
    ++found;
  }
  EXPECT_EQ(texts.size(), found);
}

TEST(Crowd, AttacksInThirtyWaysAmongThreeHundred) {
  std::set<std::string> attacks;
  for (const CrowdMember& member : crowd_of(300, 1)) {
    if (member.handed == Handed::Attack) attacks.insert(member.what);
  }
  EXPECT_EQ(attacks.size(), 30U);
}

TEST(Crowd, IsTheSameForTheSameSeedAndAnotherForAnother) {
  EXPECT_EQ(crowd_of(30, 7), crowd_of(30, 7));
  EXPECT_NE(crowd_of(30, 7), crowd_of(30, 8));
}

TEST(Crowd, IsWrittenAsAFolderAStudent) {
  const ScratchFolder folder;
  const auto crowd = crowd_of(30, 1);
  ASSERT_TRUE(write_crowd(crowd, folder.path()));
  for (const CrowdMember& member : crowd) {
    const auto file = folder.path() / member.id / "exercise.cpp";
    ASSERT_TRUE(std::filesystem::is_directory(file.parent_path())) << member.id;
    if (member.handed == Handed::Missing) {
      EXPECT_FALSE(std::filesystem::exists(file)) << member.id;
    } else {
      EXPECT_EQ(read_file(file), member.answer) << member.id;
    }
  }
}

TEST(Crowd, IsRefusedForAnExerciseThatNobodyAttacks) {
  const auto crowd = make_crowd(WORKBOOK_ROOT, Unit{"02", "timeline"}, 30, 1);
  ASSERT_FALSE(crowd);
  EXPECT_NE(crowd.error().what.find("exercise 02"), std::string::npos)
      << crowd.error().what;
}

TEST(AttackFile, SaysWhatItIsAndHowItEnds) {
  const auto attack = parse_attack("quits",
                                   "// attack: quits\n// ends: crash ok\n"
                                   "// exercise: 10\n// fools: exit\n#include <x>\n"
                                   "// earns: part\n");
  ASSERT_TRUE(attack) << attack.error().what;
  EXPECT_EQ(attack->file, "quits");
  EXPECT_EQ(attack->kind, "quits");
  EXPECT_EQ(attack->ends, (std::vector{Status::Crash, Status::Ok}));
  EXPECT_EQ(attack->exercise, "10");
  EXPECT_EQ(attack->fools, "exit");
  EXPECT_FALSE(attack->earns_part) << "it is not at the beginning";
}

TEST(AttackFile, IsRefusedWhereItSaysTooLittleOrWhatNobodyKnows) {
  for (const char* text : {"int x;", "// attack: quits\n", "// ends: crash\n",
                           "// attack: quits\n// ends: in tears\n",
                           "// attack: quits\n// ends: ok\n// fools: all\n",
                           "// attack: quits\n// ends: ok\n// earns: everything\n"}) {
    const auto attack = parse_attack("quits", text);
    ASSERT_FALSE(attack) << text;
    EXPECT_NE(attack.error().what.find("attacks/quits.cpp"), std::string::npos);
  }
}

TEST(AttackFiles, AreOfMoreThanThirtyKinds) {
  const auto attacks = list_attacks(WORKBOOK_ROOT);
  ASSERT_TRUE(attacks) << attacks.error().what;
  std::set<std::string> kinds;
  for (const Attack& attack : *attacks) kinds.insert(attack.kind);
  EXPECT_EQ(kinds.size(), attacks->size()) << "no two are of one kind";
  EXPECT_GE(kinds.size(), 100U);
}

}  // namespace
}  // namespace pipeline
