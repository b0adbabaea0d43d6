// What exercises_test proves in one process, proved out of process: for every exercise
// a starter earns nothing, the solution everything, and each named mistake exactly what
// its file says, in the test meant for it and with the words meant for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/files.hpp"
#include "classroom/starter.hpp"
#include "grading/judge.hpp"
#include "grading/tier_here.hpp"
#include "grading/whole_answer.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {

/// For the name of a test that fails.
void PrintTo(const Unit& exercise, std::ostream* out) { *out << exercise.title(); }

namespace {

const Workspace kHere = {WORKBOOK_ROOT, WORKBOOK_BUILD};

/// An answer, and what is wrong with its verdict, if anything is.
struct Trial {
  std::string name;
  std::string answer;
  std::string fails;  ///< the test that must fail, or empty
  std::string says;
  int points = 0;
  std::string complaint;

  void hear(const Verdict& verdict) {
    if (verdict.status != Status::Ok) {
      complaint = std::string(to_text(verdict.status)) + ": " + verdict.compiler_errors;
    } else if (verdict.points() != points) {
      complaint = "earns " + std::to_string(verdict.points()) + " points, not " +
                  std::to_string(points) + "; these fail:";
    }
    bool found = fails.empty();
    for (const TestVerdict& test : verdict.tests) {
      if (!complaint.empty() && !test.passed) complaint += " " + test.test.name;
      found = found || (test.test.name == fails && !test.passed &&
                        test.message.find(says) != std::string::npos);
    }
    if (!found) complaint += "\n" + fails + " does not say: " + says;
  }
};

/// In the short tier those of one exercise alone.
bool tries_mistakes(const Unit& exercise) {
  return in_full_tier() || exercise.number == "10";
}

Expected<std::vector<Trial>> trials_of(const Unit& exercise, int all_points) {
  const auto folder = kHere.root / "exercises" / exercise.folder();
  const auto solution =
      read_file(kHere.root / "solutions" / exercise.folder() / "exercise.cpp");
  if (!solution) return tl::unexpected(solution.error());
  const auto starter = derive_starter(*solution);
  if (!starter) return tl::unexpected(starter.error());
  const auto mistakes = list_mistakes(folder);
  if (!mistakes) return tl::unexpected(mistakes.error());
  std::vector<Trial> trials(2);
  trials[0].name = "the starter";
  trials[0].answer = *starter;
  trials[1].name = "the solution";
  trials[1].answer = *solution;
  trials[1].points = all_points;
  for (const Mistake& mistake : *mistakes) {
    if (!tries_mistakes(exercise)) break;
    const auto text = read_file(folder / "mistakes" / (mistake.file + ".cpp"));
    if (!text) return tl::unexpected(text.error());
    // Where the student writes tests, a mistake is an answer by itself.
    const auto answer = definitions_of(*text).empty() ? Expected<std::string>(*text)
                                                      : whole_answer(*solution, *text);
    if (!answer) return tl::unexpected(answer.error());
    trials.push_back(
        {mistake.file, *answer, mistake.fails, mistake.says, mistake.points, ""});
  }
  return trials;
}

void judge_all(const Kit& kit, Tier tier, std::vector<Trial>& trials) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&](int slot) {
    JudgeOptions options;
    options.tier = tier;
    options.slot = slot;
    options.patience = 20;  // nothing here is about time
    for (std::size_t i = next++; i < trials.size(); i = next++)
      trials[i].hear(judge(kit, trials[i].answer, options));
  };
  std::thread other([&] { work(1); });
  work(0);
  other.join();
}

class GradeProof : public testing::TestWithParam<Unit> {};

TEST_P(GradeProof, GivesEachAnswerItsPoints) {
  const auto tier = tier_here();
  if (!tier) GTEST_SKIP() << tier.error().what;
  const auto kit = make_kit(kHere, GetParam(), "", *tier);
  ASSERT_TRUE(kit) << kit.error().what;
  int all_points = 0;
  for (const TestInfo& test : kit->list) all_points += test.points;
  auto trials = trials_of(GetParam(), all_points);
  ASSERT_TRUE(trials) << trials.error().what;
  judge_all(*kit, *tier, *trials);
  for (const Trial& trial : *trials) EXPECT_EQ(trial.complaint, "") << trial.name;
}

/// All of them; in the short tier, in which exercises_test proves all in one process,
/// a few, which the build names: "01,05,…".
std::vector<Unit> tried_exercises() {
  std::vector<Unit> units = list_units(kHere.root, "exercises");
  if (in_full_tier()) return units;
  const std::string tried = "," WORKBOOK_JUDGED ",";
  std::erase_if(units, [&](const Unit& unit) {
    return tried.find("," + unit.number + ",") == std::string::npos;
  });
  return units;
}

INSTANTIATE_TEST_SUITE_P(Exercise, GradeProof, testing::ValuesIn(tried_exercises()),
                         [](const auto& exercise) { return exercise.param.number; });

}  // namespace
}  // namespace pipeline
