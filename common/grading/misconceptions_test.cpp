#include "grading/misconceptions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/starter.hpp"
#include "grading/tier_here.hpp"
#include "grading/whole_answer.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

const Workspace kHere = {WORKBOOK_ROOT, WORKBOOK_BUILD};

using Says = std::vector<std::pair<std::string, std::string>>;

/// A verdict on the tests A to D, of which those fail and say that.
Verdict failing(const Says& failures) {
  Verdict verdict;
  verdict.status = Status::Ok;
  for (const std::string name : {"A", "B", "C", "D"}) {
    const auto found =
        std::find_if(failures.begin(), failures.end(),
                     [&](const auto& failure) { return failure.first == name; });
    TestVerdict test;
    test.test.name = name;
    test.test.points = 1;
    test.test.drawn = name == "D";
    test.passed = found == failures.end();
    if (!test.passed) test.message = found->second;
    verdict.tests.push_back(test);
  }
  return verdict;
}

Signature signature(const std::string& file, const std::string& fails,
                    const std::string& says, const Says& failures) {
  return {{file, file, fails, says}, failures_of(failing(failures))};
}

/// Three mistakes; `short` is a part of `long`.
Misconceptions known() {
  Misconceptions all;
  all.signatures = {
      signature("short", "A", "too many", {{"A", "6, not 5: too many"}}),
      signature("long", "B", "is the sum",
                {{"A", "6, not 5: too many"}, {"B", "9 is the sum"}, {"D", "is 17"}}),
      signature("other", "C", "re-read", {{"C", "2 is wrong: re-read"}})};
  all.starter = failures_of(failing(
      {{"A", "0, not 5"}, {"B", "0"}, {"C", "0 is wrong: re-read"}, {"D", "is 0"}}));
  return all;
}

std::string named(const Says& failures, bool same_inputs = true) {
  return name_mistake(failing(failures), known(), same_inputs);
}

TEST(NameMistake, KnowsAMistakeByEveryTestThatItFails) {
  EXPECT_EQ(named({{"A", "6, not 5: too many"}}), "short");
  EXPECT_EQ(named({{"C", "2 is wrong: re-read"}}), "other");
  EXPECT_EQ(named({}), "");
}

TEST(NameMistake, TakesTheOneThatExplainsMost) {
  EXPECT_EQ(named({{"A", "6, not 5: too many"}, {"B", "9 is the sum"}, {"D", "is 17"}}),
            "long");
  EXPECT_EQ(named({{"A", "6, not 5: too many"}, {"B", "5"}, {"D", "is 17"}}), "short");
}

TEST(NameMistake, KnowsAMistakeBesideOtherFailures) {
  EXPECT_EQ(named({{"A", "6, not 5: too many"}, {"C", "77"}}), "short");
}

TEST(NameMistake, KnowsADiagnosisThatNothingElseGets) {
  EXPECT_EQ(named({{"A", "8, not 7: too many"}}), "")
      << "two mistakes get it: which one?";
  EXPECT_EQ(named({{"A", "9, not 5"}, {"B", "11 is the sum"}, {"D", "is 3"}}), "long");
  EXPECT_EQ(named({{"B", "11 is the sum"}}), "") << "it would fail A and D too";
  EXPECT_EQ(named({{"C", "3 is wrong: re-read"}}), "")
      << "the starter is told the same";
}

TEST(NameMistake, TakesNoFunctionThatWasNotBegunForAMistake) {
  EXPECT_EQ(name_mistake(failing({{"A", "0, not 5"},
                                  {"B", "0"},
                                  {"C", "0 is wrong: re-read"},
                                  {"D", "is 0"}}),
                         known(), true),
            "");
  Misconceptions all = known();
  all.signatures.push_back(
      signature("nothing", "C", "0 is wrong", {{"C", "0 is wrong: re-read"}}));
  EXPECT_EQ(name_mistake(failing({{"C", "0 is wrong: re-read"}}), all, true), "");
}

TEST(NameMistake, OfTestsKnowsAMistakeByWhatGotPastThem) {
  const std::string past = "Your tests pass, although this is wrong";
  Misconceptions all;
  all.of_tests = true;
  all.starter = failures_of(failing({{"A", past}, {"B", past}, {"C", past}}));
  all.signatures = {
      signature("one", "A", past, {{"A", past}}),
      signature("two", "A", past, {{"A", past}, {"B", past}}),
      signature("none", "C", past, {{"A", past}, {"B", past}, {"C", past}})};
  EXPECT_EQ(name_mistake(failing({{"A", past}}), all, true), "one");
  EXPECT_EQ(name_mistake(failing({{"A", past}, {"B", past}}), all, true), "two");
  EXPECT_EQ(name_mistake(failing({{"A", past}, {"C", past}}), all, true), "");
  EXPECT_EQ(name_mistake(failing({{"A", past}, {"B", past}, {"C", past}}), all, true),
            "");
}

TEST(NameMistake, ComparesNoWordsOnInputsThatWereDrawnForOneStudent) {
  const Says own = {{"A", "6, not 5: too many"}, {"B", "9 is the sum"}, {"D", "is 23"}};
  EXPECT_EQ(named(own, false), "long");
  Says apart = own;
  apart[1].second = "9 is no sum";
  EXPECT_EQ(named(apart, false), "short");
}

TEST(NameMistake, DoesNotCompareWhatWorkersSayWhenTheyCrash) {
  Misconceptions all = known();
  Verdict crash = failing({{"C", "terminate called"}});
  crash.tests[2].ended = Status::Crash;
  all.signatures.push_back({{"crash", "crash", "C", "ended"}, failures_of(crash)});
  crash.tests[2].message = "free(): invalid pointer";
  EXPECT_EQ(name_mistake(crash, all, true), "crash");
  crash.tests[2].ended = Status::Timeout;
  EXPECT_EQ(name_mistake(crash, all, true), "");
}

TEST(AttachMistakes, NamesThoseWhoseTestsRan) {
  Gradebook book;
  const Verdict wrong = failing({{"A", "6, not 5: too many"}});
  book.students = {{{}, wrong}, {{}, failing({})}, {{}, wrong}};
  book.students[2].verdict.status = Status::GraderError;
  book.students[2].verdict.mistake = "from an earlier run";
  attach_mistakes(book, known());
  EXPECT_EQ(book.students[0].verdict.mistake, "short");
  EXPECT_EQ(book.students[1].verdict.mistake, "");
  EXPECT_EQ(book.students[2].verdict.mistake, "");
}

/// The exercises whose mistakes are judged: one in the short tier.
std::vector<Unit> exercises_to_try() {
  std::vector<Unit> exercises = list_units(kHere.root, "exercises");
  if (!in_full_tier()) exercises.resize(1);
  return exercises;
}

class LearnMistakes : public testing::TestWithParam<Unit> {};

std::string note_of_twins(const std::string& first, const std::string& second) {
  return "the mistakes " + first + " and " + second +
         " fail alike: both are counted as " + first;
}

/// The mistakes of an exercise, judged; and which name each of them gets.
TEST_P(LearnMistakes, KnowsEachMistakeAsItself) {
  const Unit& exercise = GetParam();
  const auto tier = tier_here();
  if (!tier) GTEST_SKIP() << tier.error().what;
  const auto kit = make_kit(kHere, exercise, "", *tier);
  ASSERT_TRUE(kit) << kit.error().what;
  const auto mistakes = list_mistakes(kHere.root / "exercises" / exercise.folder());
  ASSERT_TRUE(mistakes) << mistakes.error().what;
  BatchOptions options;
  options.kit_hash = kit->hash;
  options.tests = kit->list;
  options.judging.tier = *tier;
  options.judging.patience = 20;  // nothing here is about time
  options.jobs = 2;
  const ScratchFolder folder;
  const auto cache = Cache::open(folder.path());
  ASSERT_TRUE(cache);
  const auto learned =
      learn_mistakes(kHere, exercise, *mistakes, options, *cache,
                     [&](std::string_view answer, const JudgeOptions& how) {
                       return judge(*kit, answer, how);
                     });
  ASSERT_TRUE(learned) << learned.error().what;
  ASSERT_EQ(learned->signatures.size(), mistakes->size());
  for (const Signature& signature : learned->signatures) {
    Verdict verdict;
    verdict.status = Status::Ok;
    for (const auto& [name, test] : signature.failures) verdict.tests.push_back(test);
    const std::string name = name_mistake(verdict, *learned, true);
    const auto is_noted = [&](const std::string& note) {
      return std::find(learned->notes.begin(), learned->notes.end(), note) !=
             learned->notes.end();
    };
    const bool is_twin = is_noted(note_of_twins(name, signature.mistake.file));
    // Tests that catch nothing are as those that nobody wrote.
    const bool is_unbegun =
        exercise.writes_tests() && name.empty() &&
        is_noted(
            "the mistake " + signature.mistake.file +
            " fails as an answer does that nobody began: it is named for nobody by "
            "its failures alone");
    EXPECT_TRUE(name == signature.mistake.file || is_twin || is_unbegun)
        << signature.mistake.file << " is taken for '" << name << "'";
  }
  Verdict unsolved;
  for (const auto& [name, test] : learned->starter) unsolved.tests.push_back(test);
  EXPECT_EQ(name_mistake(unsolved, *learned, true), "") << "the starter";
}

INSTANTIATE_TEST_SUITE_P(Exercises, LearnMistakes,
                         testing::ValuesIn(exercises_to_try()),
                         [](const auto& unit) { return unit.param.folder(); });

}  // namespace
}  // namespace pipeline
