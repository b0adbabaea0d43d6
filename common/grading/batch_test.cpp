#include "grading/batch.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

const std::vector<TestInfo> kTests = {{"Suite.One", 2, "", false, false},
                                      {"Suite.Two", 1, "", false, true}};

/// A judge that runs nothing: one test passes by the answer, one by the seed too.
Verdict pretended(std::string_view answer, const JudgeOptions& options) {
  Verdict verdict;
  verdict.status = answer.starts_with("bad") ? Status::Compile : Status::Ok;
  verdict.tier = to_text(options.tier);
  for (const TestInfo& test : kTests) {
    const bool passed = std::hash<std::string>()(std::string(answer) + test.name +
                                                 (test.drawn ? options.seed : "")) %
                            2 ==
                        0;
    verdict.tests.push_back({test, passed && verdict.status == Status::Ok,
                             verdict.status, passed ? "" : "said"});
  }
  return verdict;
}

Verdict timed_out() {
  // Stopped by the wall's limit with hardly any CPU used: the machine may be to blame.
  Verdict verdict = pretended("x", {});
  verdict.status = Status::Timeout;
  for (TestVerdict& test : verdict.tests) {
    test.passed = false;
    test.ended = Status::Timeout;
  }
  verdict.cpu_seconds = 0.01;
  verdict.wall_seconds = 19;
  return verdict;
}

std::vector<Submission> make_class(int students) {
  std::vector<Submission> submissions;
  for (int i = 0; i < students; ++i) {
    Submission one;
    one.id = "student-" + std::to_string(100 + i);
    one.found = i % 7 != 3;  // some hand in nothing
    one.answer = (i % 5 == 0 ? "bad " : "answer ") + std::to_string(i);
    submissions.push_back(std::move(one));
  }
  return submissions;
}

int found_in(const std::vector<Submission>& submissions) {
  int count = 0;
  for (const Submission& each : submissions) count += each.found ? 1 : 0;
  return count;
}

class BatchTest : public testing::Test {
 protected:
  BatchTest() {
    options_.kit_hash = "kit";
    options_.tests = kTests;
    options_.judging.seed = "seed";
    options_.jobs = 3;
  }
  Cache cache(const std::string& name = "cache") {
    auto opened = Cache::open(scratch_ / name);
    EXPECT_TRUE(opened.has_value());
    return *opened;
  }
  Batch run(const std::vector<Submission>& submissions, const JudgeAnswer& judge,
            const std::string& name = "cache") {
    return grade_all(submissions, options_, cache(name), judge);
  }

  ScratchFolder scratch_;
  BatchOptions options_;
};

TEST_F(BatchTest, GivesEverybodyTheirVerdictInOrder) {
  const auto submissions = make_class(30);
  const Batch batch = run(submissions, pretended);
  ASSERT_EQ(batch.verdicts.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    if (submissions[i].found) {
      EXPECT_EQ(batch.verdicts[i], pretended(submissions[i].answer, options_.judging));
    } else {
      EXPECT_EQ(batch.verdicts[i].status, Status::Missing);
      EXPECT_EQ(batch.verdicts[i].of(), 3);
      EXPECT_EQ(batch.verdicts[i].points(), 0);
    }
  }
  EXPECT_EQ(batch.judged, found_in(submissions));
  EXPECT_EQ(batch.reused, 0);
  EXPECT_EQ(batch.faults, 0);
  EXPECT_TRUE(batch.whole);
}

TEST_F(BatchTest, AnUnchangedClassIsNotJudgedAgain) {
  const auto submissions = make_class(40);
  const Batch first = run(submissions, pretended);
  const Batch again = run(submissions, pretended);
  EXPECT_EQ(again.judged, 0);
  EXPECT_EQ(again.reused, found_in(submissions));
  EXPECT_EQ(again.verdicts, first.verdicts);
}

TEST_F(BatchTest, OnlyWhatChangedIsJudgedAgain) {
  auto submissions = make_class(20);
  run(submissions, pretended);
  submissions[4].answer += " changed";
  EXPECT_EQ(run(submissions, pretended).judged, 1);
  options_.kit_hash = "another kit";
  EXPECT_EQ(run(submissions, pretended).judged, found_in(submissions));
  options_.judging.seed = "another seed";
  EXPECT_EQ(run(submissions, pretended).judged, found_in(submissions));
}

TEST_F(BatchTest, TheTableIsTheSameWhateverTheNumberOfJobs) {
  const auto submissions = make_class(50);
  options_.jobs = 1;
  const Batch one = run(submissions, pretended, "one");
  options_.jobs = 8;
  const Batch eight = run(submissions, pretended, "eight");
  EXPECT_EQ(one.verdicts, eight.verdicts);
}

TEST_F(BatchTest, SlotsOfAnswersJudgedAtOnceDiffer) {
  std::mutex mutex;
  std::multiset<int> busy;
  bool twice = false;
  const auto judge = [&](std::string_view answer, const JudgeOptions& options) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      twice = twice || busy.contains(options.slot);
      busy.insert(options.slot);
    }
    std::this_thread::yield();
    const std::lock_guard<std::mutex> lock(mutex);
    busy.erase(busy.find(options.slot));
    return pretended(answer, options);
  };
  run(make_class(60), judge);
  EXPECT_FALSE(twice);
}

TEST_F(BatchTest, TheSameAnswerIsJudgedOnce) {
  auto submissions = make_class(6);
  for (Submission& each : submissions) {
    each.found = true;
    each.answer = "the starter";
  }
  const Batch batch = run(submissions, pretended);
  EXPECT_EQ(batch.judged, 1);
  for (const Verdict& verdict : batch.verdicts) EXPECT_EQ(verdict, batch.verdicts[0]);
}

TEST_F(BatchTest, WithASeedOfTheirOwnTheSameAnswerIsJudgedForEach) {
  options_.per_student = true;
  auto submissions = make_class(6);
  for (Submission& each : submissions) {
    each.found = true;
    each.answer = "the starter";
  }
  std::mutex mutex;
  std::set<std::string> seeds;
  const auto judge = [&](std::string_view answer, const JudgeOptions& options) {
    const std::lock_guard<std::mutex> lock(mutex);
    seeds.insert(options.seed);
    return pretended(answer, options);
  };
  EXPECT_EQ(run(submissions, judge).judged, 6);
  EXPECT_EQ(seeds.size(), 6U);
  EXPECT_FALSE(seeds.contains("seed"));
  EXPECT_TRUE(seeds.contains(seed_of("seed", "student-100")));
  EXPECT_EQ(run(submissions, judge).judged, 0);
}

TEST_F(BatchTest, ADoubtfulAnswerIsJudgedOnceMoreAndAlone) {
  ASSERT_TRUE(deserves_another_try(timed_out()));
  const auto submissions = make_class(20);
  std::atomic<int> at_once = 0;
  std::atomic<int> patient = 0;
  const auto judge = [&](std::string_view answer, const JudgeOptions& options) {
    const int now = ++at_once;
    Verdict verdict = pretended(answer, options);
    if (options.patient) {
      ++patient;
      EXPECT_EQ(now, 1);
    } else if (answer == "answer 6" || answer == "answer 8") {
      verdict = timed_out();
    }
    --at_once;
    return verdict;
  };
  const Batch batch = run(submissions, judge);
  EXPECT_EQ(patient, 2);
  EXPECT_EQ(batch.verdicts[6], pretended("answer 6", options_.judging));
  EXPECT_EQ(batch.judged, found_in(submissions) + 2);
}

TEST_F(BatchTest, AnAnswerThatRunsOutOfTimeTwiceKeepsThatVerdict) {
  const auto submissions = make_class(1);
  int calls = 0;
  const auto judge = [&](std::string_view /*answer*/, const JudgeOptions& /*how*/) {
    ++calls;
    return timed_out();
  };
  EXPECT_EQ(run(submissions, judge).verdicts[0].status, Status::Timeout);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(run(submissions, judge).judged, 0);
}

Verdict fault(std::string_view answer, const JudgeOptions& options) {
  Verdict verdict = pretended(answer, options);
  verdict.status = Status::GraderError;
  for (TestVerdict& test : verdict.tests) test.passed = false;
  return verdict;
}

TEST_F(BatchTest, AGradersErrorIsTriedAgainAndNeverKept) {
  const auto submissions = make_class(3);
  const Batch failed = run(submissions, fault);
  EXPECT_EQ(failed.judged, 6);
  EXPECT_EQ(failed.faults, 3);
  EXPECT_TRUE(failed.whole);
  const Batch mended = run(submissions, pretended);
  EXPECT_EQ(mended.judged, 3);
  EXPECT_EQ(mended.faults, 0);
}

TEST_F(BatchTest, AGradersErrorOverwritesNoScore) {
  const auto submissions = make_class(3);
  const Batch first = run(submissions, pretended);
  options_.kit_hash = "another kit";
  const Batch failed = run(submissions, fault);
  EXPECT_EQ(failed.faults, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(failed.verdicts[i].status, first.verdicts[i].status);
    EXPECT_EQ(failed.verdicts[i].points(), first.verdicts[i].points());
    EXPECT_EQ(failed.verdicts[i].notes.size(), 1U);
  }
  // It stands in for this run alone.
  EXPECT_EQ(run(submissions, pretended).judged, 3);
  // Where the tests are others, it says nothing.
  options_.kit_hash = "a third kit";
  options_.tests[0].points = 5;
  EXPECT_EQ(run(submissions, fault).faults, 3);
}

TEST_F(BatchTest, WhatTheJudgeThrowsIsAGradersError) {
  const auto judge = [](std::string_view /*answer*/,
                        const JudgeOptions& /*how*/) -> Verdict {
    throw std::runtime_error("no space left");
  };
  const Batch batch = run(make_class(2), judge);
  EXPECT_EQ(batch.faults, 2);
  EXPECT_EQ(batch.verdicts[0].notes, std::vector<std::string>{"no space left"});
}

TEST_F(BatchTest, WhenStoppedItKeepsWhatIsDoneAndGoesOnFromThere) {
  const auto submissions = make_class(30);
  const Batch undisturbed = run(submissions, pretended, "undisturbed");
  std::atomic<int> calls = 0;
  options_.stopped = [&] { return calls >= 10; };
  const auto counted = [&](std::string_view answer, const JudgeOptions& options) {
    ++calls;
    return pretended(answer, options);
  };
  const Batch stopped = run(submissions, counted);
  EXPECT_FALSE(stopped.whole);
  EXPECT_LT(stopped.judged, found_in(submissions));
  options_.stopped = {};
  const Batch rest = run(submissions, pretended);
  EXPECT_TRUE(rest.whole);
  EXPECT_GT(rest.reused, 0);
  EXPECT_EQ(rest.judged + rest.reused, found_in(submissions));
  EXPECT_EQ(rest.verdicts, undisturbed.verdicts);
}

/// Those that are whole.
int files_in(const fs::path& folder) {
  std::error_code error;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder, error))
    count += entry.path().extension() == ".json" ? 1 : 0;
  return count;
}

TEST_F(BatchTest, KilledAtAnyMomentItEndsWithTheSameTable) {
  const auto submissions = make_class(30);
  const Batch undisturbed = run(submissions, pretended, "undisturbed");
  for (const int after : {0, 1, 7, 15, 24}) {
    const std::string name = "killed-" + std::to_string(after);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // Gets stuck after so many, so that it is killed in the middle.
      std::atomic<int> calls = 0;
      run(
          submissions,
          [&](std::string_view answer, const JudgeOptions& options) {
            if (++calls > after) pause();
            return pretended(answer, options);
          },
          name);
      _exit(0);
    }
    while (files_in(scratch_ / name) < after) usleep(1000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Batch rest = run(submissions, pretended, name);
    EXPECT_EQ(rest.verdicts, undisturbed.verdicts) << after;
    EXPECT_EQ(rest.reused, after);
    EXPECT_EQ(rest.judged, found_in(submissions) - after);
  }
}

}  // namespace
}  // namespace pipeline
