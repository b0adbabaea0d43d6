#include "grading/contract.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "classroom/catalogue.hpp"
#include "classroom/files.hpp"

namespace pipeline {
namespace {

/// The only function of a header whose namespace holds `inside`.
ContractFunction only(const std::string& inside) {
  const auto contract = parse_contract("namespace pipeline {\n" + inside + "\n}\n");
  if (contract && contract->size() == 1) return contract->front();
  ADD_FAILURE() << (contract ? "not one function" : contract.error().what);
  return {};
}

std::string refusal(const std::string& inside) {
  const auto contract = parse_contract("namespace pipeline {\n" + inside + "\n}\n");
  return contract ? "" : contract.error().what;
}

TEST(Contract, IsTheFunctionsThatAHeaderDeclares) {
  EXPECT_EQ(only("std::int64_t tick_count(std::int32_t devices,\n"
                 "                        std::int32_t micro_batches);"),
            (ContractFunction{"std::int64_t",
                              "tick_count",
                              {"std::int32_t devices", "std::int32_t micro_batches"}}));
  EXPECT_EQ(only("bool holds();"), (ContractFunction{"bool", "holds", {}}));
}

TEST(Contract, KeepsCommasWithinTypes) {
  EXPECT_EQ(
      only("std::vector<std::vector<bool>> f(const std::array<int, 3>& a, Row b);"),
      (ContractFunction{"std::vector<std::vector<bool>>",
                        "f",
                        {"const std::array<int, 3>& a", "Row b"}}));
}

TEST(Contract, LeavesOutDefaults) {
  EXPECT_EQ(only("int f(int a = 3, double b = 1.5);").parameters,
            (std::vector<std::string>{"int a", "double b"}));
  EXPECT_EQ(only("int f(std::vector<int> a = {}, Pair b = {1, 2});").parameters,
            (std::vector<std::string>{"std::vector<int> a", "Pair b"}));
}

TEST(Contract, LeavesOutWhatIsNoDeclarationOfAFunction) {
  EXPECT_EQ(only("/// int commented(int a);\n"
                 "/* int commented_too(int a); */\n"
                 "#define int macro(int a);\n"
                 "inline constexpr int kIdle = -1;\n"
                 "struct Idle { double a = 0; double sum() const { return a; } };\n"
                 "enum class Kind { One, Two };\n"
                 "using Row = std::vector<int>;\n"
                 "inline int helper(int a) { return a > 0 ? helper(a - 1) : 0; }\n"
                 "template <typename T> T generic(T a);\n"
                 "int asked(int a);")
                .name,
            "asked");
}

TEST(Contract, IsRefusedWhereACallCouldNotBePassedOn) {
  EXPECT_EQ(refusal("int f(int);"), "a parameter of f has no name: int");
  EXPECT_EQ(refusal("int f(int a); int f(double a);"), "two functions are called f");
  EXPECT_EQ(refusal("int f(int a) const noexcept;"),
            "this is no plain function: int f(int a) const noexcept");
  EXPECT_EQ(refusal("struct Nothing {};"),
            "the contract declares no function in namespace pipeline");
  EXPECT_FALSE(parse_contract("int outside(int a);"));
  EXPECT_FALSE(parse_contract(""));
}

TEST(Contract, BecomesAProxyOfALineAFunction) {
  const std::string source =
      proxy_source({{"int", "f", {"int a", "const Row& row"}}, {"bool", "g", {}}});
  EXPECT_NE(source.find("int f(int a, const Row& row) {\n"
                        "  return call_remote<int>(0, \"f\", a, row);\n}\n"
                        "bool g() {\n  return call_remote<bool>(1, \"g\");\n}\n"),
            std::string::npos)
      << source;
}

TEST(Contract, BecomesAShimOfALineAFunction) {
  const std::string source = shim_source({{"int", "f", {"int a"}}, {"bool", "g", {}}});
  EXPECT_NE(source.find("      pipeline::served<&pipeline::f>,\n"
                        "      pipeline::served<&pipeline::g>,\n  };\n"),
            std::string::npos)
      << source;
}

TEST(Contract, IsUnderstoodInEveryExercise) {
  const std::filesystem::path root = WORKBOOK_ROOT;
  const auto units = list_units(root, "exercises");
  ASSERT_GE(units.size(), 20U);
  for (const Unit& unit : units) {
    if (unit.writes_tests()) continue;
    const auto header = read_file(root / "exercises" / unit.folder() / "exercise.hpp");
    ASSERT_TRUE(header) << header.error().what;
    const auto contract = parse_contract(*header);
    ASSERT_TRUE(contract) << unit.folder() << ": " << contract.error().what;
    // What the solution defines beside it is its own business, but not less.
    const auto solution =
        read_file(root / "solutions" / unit.folder() / "exercise.cpp");
    ASSERT_TRUE(solution) << solution.error().what;
    for (const ContractFunction& function : *contract) {
      EXPECT_NE(solution->find(" " + function.name + "("), std::string::npos)
          << unit.folder() << " " << function.name;
    }
  }
}

}  // namespace
}  // namespace pipeline
