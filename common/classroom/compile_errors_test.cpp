#include "classroom/compile_errors.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

constexpr const char* kFile = "01_ticks/exercise.cpp";

// As g++ 12 and GNU ld 2.40 write them, with shorter commands.
const std::string kMisspelt = R"([3/9] Building CXX object ex01.dir/exercise.cpp.o
FAILED: ex01.dir/exercise.cpp.o
/usr/bin/c++ -O2 -c /home/me/exercises/01_ticks/exercise.cpp
/home/me/exercises/01_ticks/exercise.cpp: In function 'int64_t pipeline::f()':
/home/me/exercises/01_ticks/exercise.cpp:9:3: error: 'retur' was not declared in this scope
    9 |   retur devices + 1;
      |   ^~~~~
/home/me/exercises/01_ticks/exercise.cpp:9:3: note: suggested alternative
/home/me/exercises/01_ticks/exercise.cpp:12:1: error: expected declaration before '}' token
   12 | }
      | ^
/home/me/exercises/01_ticks/exercise.cpp:14:1: fatal error: too many
ninja: build stopped: subcommand failed.
)";

TEST(CompileErrors, ShowTheFirstInFullAndCountTheOthers) {
  EXPECT_EQ(errors_in_short(kMisspelt, kFile),
            "Line 9:\n"
            "\n"
            "    retur devices + 1;\n"
            "    ^~~~~\n"
            "  'retur' was not declared in this scope\n"
            "\n"
            "2 more errors follow; often the first one is the cause.\n");
}

TEST(CompileErrors, NameTheLineThatLedIntoALibrary) {
  const std::string said =
      "In file included from /usr/include/c++/12/algorithm:61,\n"
      "/usr/include/c++/12/bits/stl_algo.h: In instantiation of 'void sort(T)':\n"
      "/home/me/exercises/01_ticks/exercise.cpp:11:12:   required from here\n"
      "/usr/include/c++/12/bits/stl_algo.h:4820:22: error: no match for 'operator<'\n"
      " 4820 |   if (first < last)\n"
      "      |       ~~~~~~^~~~~~\n";
  const FirstError first = find_first_error(said, kFile);
  EXPECT_EQ(first.line, 4820U);
  EXPECT_EQ(first.used_at, 11U);
  EXPECT_EQ(first.others, 0U);
  EXPECT_EQ(errors_in_short(said, kFile).substr(0, 45),
            "stl_algo.h, line 4820, used in your line 11:\n");
}

TEST(CompileErrors, SayWhichFunctionTheLinkerMisses) {
  const std::string said =
      "FAILED: exercises/ex01\n"
      "/usr/bin/ld: test.cpp.o: in function `pipeline::(anonymous namespace)::T()':\n"
      "test.cpp:(.text+0x1a9): undefined reference to `pipeline::tick_count(int, "
      "int)'\n"
      "/usr/bin/ld: test.cpp:(.text+0x2a9): undefined reference to "
      "`pipeline::tick_count(int, int)'\n"
      "collect2: error: ld returned 1 exit status\n";
  const std::string text = errors_in_short(said, kFile);
  EXPECT_EQ(text.find("  This function is missing: tick_count(int, int)."), 0U) << text;
  EXPECT_NE(text.find("1 more error follows"), std::string::npos) << text;
}

TEST(CompileErrors, SayWhatIsDefinedTwice) {
  EXPECT_EQ(errors_in_short("/usr/bin/ld: a.o: in function `main':\n"
                            "a.cpp:(.text+0x0): multiple definition of `main'; "
                            "b.o:b.cpp:(.text+0x0): first defined here\n",
                            kFile),
            "  This is defined twice: main.\n");
}

TEST(CompileErrors, AreTheLastLinesWhereNoneIsFound) {
  std::string said;
  for (int i = 0; i < 30; ++i) said += "line " + std::to_string(i) + "\n";
  const std::string text = errors_in_short(said, kFile);
  EXPECT_EQ(text.find("line 20\n"), 0U);
  EXPECT_TRUE(text.ends_with("line 29\n"));
}

TEST(CompileErrors, HoldNothingThatATerminalObeys) {
  const std::string text =
      errors_in_short("a/01_ticks/exercise.cpp:1:1: error: \033[2Jgone\n", kFile);
  EXPECT_EQ(text, "Line 1:\n\n  ?[2Jgone\n");
}

TEST(CompileErrors, FitANarrowTerminal) {
  const std::string text = errors_in_short(kMisspelt, kFile, 30);
  EXPECT_NE(text.find("\n  'retur' was not declared in\n  this scope\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace pipeline
