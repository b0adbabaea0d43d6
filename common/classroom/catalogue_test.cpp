#include "classroom/catalogue.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

TEST(Catalogue, ListsNumberedFoldersInOrderAndNothingElse) {
  const ScratchFolder folder;
  for (const char* name : {"10_gpipe", "02_timeline", "notes", "1_x", "09_"}) {
    std::filesystem::create_directories(folder / "chapters" / name);
  }
  ASSERT_TRUE(write_file(folder / "chapters" / "03_file", ""));
  const auto units = list_units(folder.path(), "chapters");
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].folder(), "02_timeline");
  EXPECT_EQ(units[1].title(), "10 gpipe");
}

TEST(Catalogue, ListsAnExerciseInTestsAfterTheOneThatItTests) {
  const ScratchFolder folder;
  for (const char* name : {"11_next", "10t_gpipe_test", "10_gpipe", "10x_y", "10t_"})
    std::filesystem::create_directories(folder / "exercises" / name);
  const auto units = list_units(folder.path(), "exercises");
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].number, "10");
  EXPECT_EQ(units[1].number, "10t");
  EXPECT_EQ(units[1].name, "gpipe_test");
  EXPECT_EQ(units[1].folder(), "10t_gpipe_test");
  EXPECT_EQ(units[1].chapter(), "10");
  EXPECT_TRUE(units[1].writes_tests());
  EXPECT_FALSE(units[0].writes_tests());
  EXPECT_EQ(find_unit(units, "exercise", "10t")->name, "gpipe_test");
  EXPECT_EQ(find_unit({{"09t", "x"}}, "exercise", "9t")->name, "x");
}

TEST(Catalogue, ListsAnExerciseByHandBeforeTheOneInTests) {
  const ScratchFolder folder;
  for (const char* name : {"10t_gpipe_test", "10h_by_hand", "10_gpipe", "10hh_x"})
    std::filesystem::create_directories(folder / "exercises" / name);
  const auto units = list_units(folder.path(), "exercises");
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[1].number, "10h");
  EXPECT_EQ(units[1].chapter(), "10");
  EXPECT_FALSE(units[1].writes_tests());
  EXPECT_EQ(find_unit({{"09h", "by_hand"}}, "exercise", "9h")->name, "by_hand");
}

TEST(Catalogue, TakesANumberWithAndWithoutItsZero) {
  const std::vector<Unit> units = {{"02", "timeline"}, {"10", "gpipe"}};
  EXPECT_EQ(find_unit(units, "chapter", "2")->name, "timeline");
  EXPECT_EQ(find_unit(units, "chapter", "02")->name, "timeline");
  EXPECT_EQ(find_unit(units, "chapter", "10")->name, "gpipe");
}

TEST(Catalogue, RefusesANumberThatThereIsNotAndNamesThoseThereAre) {
  const auto none = find_unit({{"02", "timeline"}, {"10", "gpipe"}}, "chapter", "3");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "there is no chapter '3'");
  EXPECT_EQ(none.error().remedy, "Say one of: 02, 10.");
}

TEST(Hints, AreTheListItemsUnderTheirHeadingAlone) {
  const auto hints = parse_hints(
      "# Exercise\n\n- not a hint\n\n## Hints\n\n1. First,\n   on two lines.\n"
      "2. Second.\n- Third.\n\n## After\n\n- not a hint\n");
  ASSERT_EQ(hints.size(), 3U);
  EXPECT_EQ(hints[0], "First, on two lines.");
  EXPECT_EQ(hints[1], "Second.");
  EXPECT_EQ(hints[2], "Third.");
}

TEST(Mistake, IsReadFromTheFirstLinesOfItsFile) {
  const auto mistake =
      parse_mistake("dropped",
                    "// mistake: last micro-batch dropped\n// fails: Ticks.CountsAll\n"
                    "// says: 6 ticks\n// points: 7\n#include <x>\n");
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->file, "dropped");
  EXPECT_EQ(mistake->name, "last micro-batch dropped");
  EXPECT_EQ(mistake->fails, "Ticks.CountsAll");
  EXPECT_EQ(mistake->says, "6 ticks");
  EXPECT_EQ(mistake->points, 7);
}

TEST(Mistake, IsRefusedWhenItDoesNotSayHowItIsFound) {
  const auto mistake =
      parse_mistake("dropped", "// mistake: a\n// says: b\nint x;\n// fails: T.A\n");
  ASSERT_FALSE(mistake);
  EXPECT_EQ(mistake.error().what, "mistakes/dropped.cpp has no `// fails: ` line");
  const std::string head = "// mistake: a\n// fails: T.A\n// says: b\n";
  EXPECT_FALSE(parse_mistake("dropped", head));
  for (const char* points : {"six", "6.5", "-1", "99999999999"})
    EXPECT_FALSE(parse_mistake("dropped", head + "// points: " + points + "\n"));
}

}  // namespace
}  // namespace pipeline
