#include "grading/whole_answer.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

const char* const kSolution =
    "// Exercise: all of it.\n"
    "#include \"exercise.hpp\"\n"
    "\n"
    "namespace pipeline {\n"
    "namespace {\n"
    "int half(int a) { return a / 2; }\n"
    "}  // namespace\n"
    "\n"
    "int first(int a) {\n"
    "  // <solution>\n"
    "  const char* text = \"} and {\";  // a } in words\n"
    "  return a + text[0] + '}' + 1'000;\n"
    "  //~ return 0;\n"
    "  // </solution>\n"
    "}\n"
    "\n"
    "// Why it is so.\n"
    "std::vector<int> second(int a,\n"
    "                        const std::vector<int>& b) {\n"
    "  return {first(half(a)), b[0]};\n"
    "}\n"
    "\n"
    "double third() { return 3; }  // short\n"
    "\n"
    "}  // namespace pipeline\n";

std::vector<std::string> names_of(std::string_view source) {
  std::vector<std::string> names;
  for (const Definition& definition : definitions_of(source))
    names.push_back(definition.name);
  return names;
}

std::string mistake_with(const std::string& body) {
  return "// mistake: it is wrong\n// fails: A.B\n// says: c\n// points: 3\n#include "
         "<cmath>\n\n"
         "#include \"exercise.hpp\"\n\nnamespace pipeline {\n\n" +
         body + "\n}  // namespace pipeline\n";
}

TEST(DefinitionsOf, AreTheFunctionsOfTheNamespaceItself) {
  EXPECT_EQ(names_of(kSolution),
            (std::vector<std::string>{"first", "second", "third"}));
  EXPECT_TRUE(names_of("int main() {}\n").empty());
  EXPECT_TRUE(names_of("namespace pipeline {\nint declared(int a);\n"
                       "struct S {\n  int a = 1;\n};\n}\n")
                  .empty());
}

TEST(DefinitionsOf, EndWhereTheTextDoes) {
  EXPECT_TRUE(names_of("namespace pipeline {\nint a() { return \"").empty());
  EXPECT_TRUE(names_of("namespace pipeline {\nint a() { /*").empty());
  EXPECT_TRUE(names_of("namespace pipeline {\nint a() { '\\").empty());
  EXPECT_EQ(names_of("namespace pipeline {\nint a() { }"),
            std::vector<std::string>{"a"});
}

TEST(WholeAnswer, HasTheWrongFunctionInPlaceOfTheRightOne) {
  const auto answer = whole_answer(
      kSolution,
      mistake_with("std::vector<int> second(int /*a*/, const std::vector<int>& b) {\n"
                   "  return b;\n}\n"));
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(*answer,
            "#include <cmath>\n\n#include \"exercise.hpp\"\n\n"
            "// Exercise: all of it.\n"
            "#include \"exercise.hpp\"\n"
            "\n"
            "namespace pipeline {\n"
            "namespace {\n"
            "int half(int a) { return a / 2; }\n"
            "}  // namespace\n"
            "\n"
            "int first(int a) {\n"
            "  const char* text = \"} and {\";  // a } in words\n"
            "  return a + text[0] + '}' + 1'000;\n"
            "}\n"
            "\n"
            "std::vector<int> second(int /*a*/, const std::vector<int>& b) {\n"
            "  return b;\n"
            "}\n"
            "\n"
            "double third() { return 3; }  // short\n"
            "\n"
            "}  // namespace pipeline\n");
}

TEST(WholeAnswer, TakesASecondMistakeOnTopOfTheFirst) {
  const auto both =
      whole_answer(kSolution, mistake_with("double third() { return 4; }\n"))
          .and_then([](const std::string& one) {
            return whole_answer(one, mistake_with("int first(int a) { return a; }\n"));
          });
  ASSERT_TRUE(both) << both.error().what;
  EXPECT_NE(both->find("return 4;"), std::string::npos);
  EXPECT_NE(both->find("return a; }"), std::string::npos);
  EXPECT_EQ(both->find("return 3;"), std::string::npos);
  EXPECT_EQ(both->find("1'000"), std::string::npos);
  EXPECT_EQ(names_of(*both), names_of(kSolution));
}

TEST(WholeAnswer, IsTheMistakeItselfWhereStudentsWriteTests) {
  const std::string tests =
      "#include \"exercise.hpp\"\n\nnamespace pipeline {\nnamespace {\n\n"
      "TEST(First, IsOne) { EXPECT_EQ(first(), 1); }\n\n}\n}\n";
  EXPECT_EQ(whole_answer(kSolution, "// mistake: only one\n// points: 2\n" + tests),
            tests);
}

TEST(WholeAnswer, RefusesWhatReplacesNothing) {
  EXPECT_FALSE(whole_answer(kSolution, "// mistake: nothing\n"));
  EXPECT_FALSE(whole_answer(kSolution, mistake_with("int a = 3;\n")));
  const auto stranger =
      whole_answer(kSolution, mistake_with("int fourth() { return 4; }\n"));
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().what, "the solution does not define fourth");
}

}  // namespace
}  // namespace pipeline
