#include "grading/verdict.hpp"

#include <gtest/gtest.h>

#include <string>

#include "classroom/json.hpp"

namespace pipeline {
namespace {

Verdict example() {
  Verdict verdict;
  verdict.status = Status::Crash;
  verdict.tests = {{{"Ticks.AreSix", 1, "", false, false}, true, Status::Ok, ""},
                   {{"Ticks.AreRight", 2, "", false, true}, true, Status::Ok, ""},
                   {{"Hidden.Sizes", 4, "Think of one device.", true, false},
                    false,
                    Status::Crash,
                    "the answer ended within \"tick_count\"\n"}};
  verdict.compiler_errors = "exercise.cpp:1: error: ß\n";
  verdict.mistake = "one_tick_too_many";
  verdict.notes = {"test.cpp was edited: ours was used"};
  verdict.tier = "bubblewrap";
  verdict.cpu_seconds = 0.1;
  verdict.wall_seconds = 1.0 / 3;
  return verdict;
}

TEST(Verdict, EarnsThePointsOfTheTestsThatPassed) {
  EXPECT_EQ(example().points(), 3);
  EXPECT_EQ(example().of(), 7);
  EXPECT_EQ(Verdict().points(), 0);
}

TEST(Verdict, ComesBackFromJsonAsItWas) {
  const auto parsed = parse_verdict(parse_json(to_text(to_json(example()))));
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(*parsed, example());
}

TEST(Verdict, HasANameForEachStatus) {
  for (const char* name :
       {"ok", "compile", "timeout", "crash", "memory", "missing", "grader-error"}) {
    Json json = to_json(example());
    json["status"] = name;
    const auto parsed = parse_verdict(json);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(to_text(parsed->status), name);
  }
}

TEST(Verdict, RefusesWhatIsNone) {
  EXPECT_FALSE(parse_verdict(parse_json("")));
  EXPECT_FALSE(parse_verdict(parse_json("{}")));
  EXPECT_FALSE(parse_verdict(parse_json("[1]")));
  for (const char* key : {"status", "tier", "tests", "compiler_errors", "mistake",
                          "notes", "cpu_seconds", "wall_seconds"}) {
    Json without = to_json(example());
    without.erase(key);
    EXPECT_FALSE(parse_verdict(without)) << key;
    Json other = to_json(example());
    other[key] = Json::object();
    EXPECT_FALSE(parse_verdict(other)) << key;
  }
}

TEST(Verdict, RefusesAStatusThatDoesNotExist) {
  Json json = to_json(example());
  json["tests"][0]["ended"] = "excellent";
  const auto parsed = parse_verdict(json);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what, "this is no verdict: a status that does not exist");
}

TEST(Secrets, AreMessagesOfHiddenTestsAndOfThoseThatDrew) {
  const Verdict verdict = example();
  EXPECT_FALSE(verdict.tests[0].test.message_is_secret());
  EXPECT_TRUE(verdict.tests[1].test.message_is_secret());
  EXPECT_TRUE(verdict.tests[2].test.message_is_secret());
}

}  // namespace
}  // namespace pipeline
