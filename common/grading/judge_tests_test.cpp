// Tests that a student wrote, judged out of process: what they catch is what counts
// (grade_proof_test.cpp), and nothing else gains a point.
#include <gtest/gtest.h>

#include <string>

#include "classroom/catalogue.hpp"
#include "grading/judge.hpp"
#include "grading/tier_here.hpp"

namespace pipeline {
namespace {

const Workspace kHere = {WORKBOOK_ROOT, WORKBOOK_BUILD};
const Unit kExercise = {"10t", "gpipe_test"};

class JudgeOfTests : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto tier = tier_here();
    if (!tier) {
      why_not() = tier.error().what;
      return;
    }
    const auto made = make_kit(kHere, kExercise, "", *tier);
    ASSERT_TRUE(made) << made.error().what;
    kit() = *made;
  }
  static void TearDownTestSuite() { kit() = Kit(); }
  void SetUp() override {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    ASSERT_FALSE(kit().list.empty());
  }

  static Kit& kit() {
    static Kit kit;
    return kit;
  }
  static std::string& why_not() {
    static std::string why;
    return why;
  }

  static Verdict judged(const std::string& answer) {
    JudgeOptions options;
    options.patience = 20;  // nothing here is about time
    return judge(kit(), answer, options);
  }
  static Verdict judged_tests(const std::string& tests) {
    return judged("#include \"exercise.hpp\"\nnamespace pipeline {\n" + tests +
                  "\n}\n");
  }
  /// The message of the test that the solution is to pass.
  static std::string of_solution(const Verdict& verdict) {
    return verdict.tests.empty() ? "" : verdict.tests.front().message;
  }
};

TEST_F(JudgeOfTests, SaysWhyTheSolutionIsRejected) {
  const Verdict verdict = judged_tests(
      "TEST(Needed, IsFour) { EXPECT_EQ(micro_batches_needed(4, 50), 4); }");
  EXPECT_EQ(verdict.points(), 0);
  EXPECT_NE(of_solution(verdict).find("Needed.IsFour: Expected equality"),
            std::string::npos)
      << of_solution(verdict);
}

TEST_F(JudgeOfTests, TakesAllPointsFromWhoGuesses) {
  // Half of the time "failed": some of the rounds are right by luck, but not all of
  // those in which the solution stands in.
  const Verdict verdict = judged_tests(R"(
    #include <random>
    TEST(Guess, Once) {
      micro_batches_needed(4, 50);
      EXPECT_TRUE(std::random_device()() % 2 == 0);
    })");
  EXPECT_EQ(verdict.points(), 0);
}

TEST_F(JudgeOfTests, GivesNothingForVerdictsWithoutCalls) {
  // Out of a static initialiser, before main: "one test ran and passed".
  const std::string forged = R"(
    #include <cstdint>
    #include <cstring>
    #include <string>
    #include <unistd.h>
    namespace {
    void put(std::string& s, std::int64_t v) {
      s += 'i';
      s.append(reinterpret_cast<const char*>(&v), 8);
    }
    const bool kForged = [] {
      std::string body("\1\0\0\0\xff\xff", 6);
      put(body, 1);
      put(body, 0);
      body += std::string("s\0\0\0\0", 5);
      const std::uint32_t size = body.size();
      std::string all(reinterpret_cast<const char*>(&size), 4);
      all += body;
      if (write(3, all.data(), all.size()) < 0) _exit(1);
      _exit(0);
      return true;
    }();
    })";
  const Verdict verdict = judged(forged);
  EXPECT_EQ(verdict.points(), 0);
  EXPECT_NE(of_solution(verdict).find("call none of the functions"), std::string::npos)
      << of_solution(verdict) << verdict.compiler_errors;
}

TEST_F(JudgeOfTests, TakesACrashForNoCatch) {
  const Verdict verdict = judged_tests(R"(
    TEST(GPipeRow, EndsWithABackward) {
      const Row row = gpipe_row(0, 2);
      if (row.size() < 4) __builtin_trap();  // as an index out of range may
      EXPECT_EQ(row[3], backward_of(0, 1));
    })");
  EXPECT_EQ(verdict.status, Status::Crash);
  EXPECT_EQ(verdict.points(), 1);  // "backwards from the last to the first"
  EXPECT_TRUE(verdict.tests.front().passed) << of_solution(verdict);
}

TEST_F(JudgeOfTests, CallsTestsThatNeverEndATimeout) {
  const Verdict verdict = judged_tests(R"(
    TEST(Loop, Forever) {
      for (volatile int i = micro_batches_needed(4, 50); i != -1; i = 0) {}
    })");
  EXPECT_EQ(verdict.status, Status::Timeout);
  EXPECT_EQ(verdict.points(), 0);
  EXPECT_NE(of_solution(verdict).find("did not come to an end"), std::string::npos)
      << of_solution(verdict);
}

}  // namespace
}  // namespace pipeline
