#include "classroom/starter.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

constexpr const char* kSolution =
    "#include \"exercise.hpp\"\n"
    "\n"
    "int ticks(int p, int m) {\n"
    "  // <solution>\n"
    "  // The last one enters late.\n"
    "  return m + p - 1;\n"
    "  //~ // Your turn.\n"
    "  //~\n"
    "  //~ return 0;\n"
    "  // </solution>\n"
    "}\n";

TEST(Starter, HoldsWhatStandsOutsideOfTheRegionsAndTheirReplacements) {
  EXPECT_EQ(derive_starter(kSolution),
            "#include \"exercise.hpp\"\n"
            "\n"
            "int ticks(int p, int m) {\n"
            "  // Your turn.\n"
            "\n"
            "  return 0;\n"
            "}\n");
}

TEST(Starter, KeepsTheIndentationWithinAReplacement) {
  EXPECT_EQ(derive_starter("// <solution>\n    //~   x();\n// </solution>\n"),
            "      x();\n");
}

TEST(Starter, IsTheSameWithoutALineEndAtTheEnd) {
  EXPECT_EQ(derive_starter("// <solution>\nx\n// </solution>\ny"), "y\n");
}

TEST(Starter, RefusesMarksThatDoNotMatchAndNamesTheLine) {
  const auto what = [](const char* text) {
    const auto starter = derive_starter(text);
    return starter ? "nothing" : starter.error().what;
  };
  EXPECT_EQ(what("a\n// <solution>\nb\n"),
            "line 2: this solution region is never closed");
  EXPECT_EQ(what("a\nb\n// </solution>\n"),
            "line 3: a solution region closes that never opened");
  EXPECT_EQ(what("// <solution>\n// <solution>\n"),
            "line 2: a solution region opens inside another one");
  EXPECT_EQ(what("//~ return 0;\n"), "line 1: a `//~` line stands outside of a region");
  EXPECT_EQ(what("int x;\n"),
            "the solution marks no region, so nothing would be left to solve");
}

TEST(Solution, IsShownWithoutMarksAndWithoutTheStartersLines) {
  EXPECT_EQ(without_marks(kSolution),
            "#include \"exercise.hpp\"\n"
            "\n"
            "int ticks(int p, int m) {\n"
            "  // The last one enters late.\n"
            "  return m + p - 1;\n"
            "}\n");
}

}  // namespace
}  // namespace pipeline
