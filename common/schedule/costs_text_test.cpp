#include "schedule/costs_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

Costs read(std::string_view typed, std::optional<std::string_view> file = {}) {
  const auto costs = parse_costs(typed, file);
  EXPECT_TRUE(costs) << costs.error().what;
  return costs ? *costs : Costs{};
}

std::string refusal(std::string_view typed, std::optional<std::string_view> file = {}) {
  const auto costs = parse_costs(typed, file);
  EXPECT_FALSE(costs) << typed;
  return costs ? "" : costs.error().what;
}

TEST(CostsText, ReadsEachLetter) {
  const Costs costs = read("F=2,I=3.5,W=4,R=5,FB=6,U=7,c=0.25");
  ASSERT_EQ(costs.stages.size(), 1U);
  EXPECT_EQ(costs.stages[0].forward, 2);
  EXPECT_EQ(costs.stages[0].input_gradient, 3.5);
  EXPECT_EQ(costs.stages[0].weight_gradient, 4);
  EXPECT_EQ(costs.stages[0].recompute, 5);
  EXPECT_EQ(costs.stages[0].overlapped, 6);
  EXPECT_EQ(costs.stages[0].update, 7);
  EXPECT_EQ(costs.within_node.latency, 0.25);
  EXPECT_EQ(costs.between_nodes.latency, 0.25);
}

TEST(CostsText, TakesARecomputationForAForwardAndAPairForItsParts) {
  const Costs all = read("");
  EXPECT_EQ(all.stages[0].overlapped, 3);
  EXPECT_EQ(all.stages[0].recompute, 1);
  EXPECT_EQ(all.stages[0].update, 0);
  const Costs costs = read(" F=2 , W=5 ");
  EXPECT_EQ(costs.stages[0].overlapped, 2 + 1 + 5);
  EXPECT_EQ(costs.stages[0].recompute, 2);
}

TEST(CostsText, RefusesWhatIsNoCost) {
  EXPECT_EQ(refusal("Q=1"), "--costs does not know 'Q=1'");
  EXPECT_EQ(refusal("F"), "--costs does not know 'F'");
  EXPECT_EQ(refusal("F=1,"), "--costs does not know ''");
  EXPECT_EQ(refusal("bytes=1"), "--costs does not know 'bytes=1'");
  EXPECT_EQ(refusal("F=1,F=2"), "--costs names F twice");
  for (const char* typed : {"F=", "F=x", "F=-1", "F=nan", "F=1e999", "F=1=2"}) {
    EXPECT_NE(refusal(typed).find("is not a number of at least 0"), std::string::npos);
  }
}

TEST(CostsText, RefusesSumsThatAreInfinite) {
  EXPECT_EQ(refusal("F=1e308,I=1e308"),
            "the cost of the overlapped pair of the stages is infinite");
}

TEST(CostsText, ReadsALineForEachStage) {
  const Costs costs = read("W=9,c=2",
                           "# measured\n"
                           "stage, F,I,bytes\r\n"
                           "0,1,2,100\n"
                           "\n"
                           " 1, 3, 4.5, 200 \n");
  ASSERT_EQ(costs.stages.size(), 2U);
  EXPECT_EQ(costs.stages[0].forward, 1);
  EXPECT_EQ(costs.stages[0].input_gradient, 2);
  EXPECT_EQ(costs.stages[0].weight_gradient, 9);
  EXPECT_EQ(costs.stages[0].overlapped, 12);
  EXPECT_EQ(costs.stages[1].forward, 3);
  EXPECT_EQ(costs.stages[1].input_gradient, 4.5);
  EXPECT_EQ(costs.stages[1].recompute, 3);
  EXPECT_EQ(costs.message_bytes, (std::vector<double>{100, 200}));
  EXPECT_EQ(costs.within_node.latency, 2);
  EXPECT_FALSE(fault_of(costs, 2));
}

TEST(CostsText, NamesTheLineOfAFileThatItCannotRead) {
  EXPECT_EQ(refusal("", ""), "costs, line 1: there is no header");
  EXPECT_EQ(refusal("", "F,I\n"), "costs, line 1: there is no line of a stage");
  EXPECT_EQ(refusal("", "F,X\n1,2\n"), "costs, line 1: 'X' is no column");
  EXPECT_EQ(refusal("", "F,c\n1,2\n"), "costs, line 1: 'c' is no column");
  EXPECT_EQ(refusal("", "F,F\n1,2\n"), "costs, line 1: the column 'F' stands twice");
  EXPECT_EQ(refusal("", "F,I\n1,2\n1\n"),
            "costs, line 3: there are not as many cells as columns");
  EXPECT_EQ(refusal("", "F,I\n1,2,3\n"),
            "costs, line 2: there are not as many cells as columns");
  EXPECT_EQ(refusal("", "F,I\n1,two\n"),
            "costs, line 2: 'two' is not a number of at least 0");
  EXPECT_EQ(refusal("", "F,I\n1,\n"),
            "costs, line 2: '' is not a number of at least 0");
  EXPECT_EQ(refusal("", "stage,F\n0,1\n2,1\n"),
            "costs, line 3: stage '2' stands where the next one belongs");
}

}  // namespace
}  // namespace pipeline
