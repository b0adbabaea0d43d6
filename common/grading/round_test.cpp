// Workers of tests that students wrote, honest ones and others, put to answers that
// stand in.
#include "grading/round.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grading/codec.hpp"
#include "grading/forked_end.hpp"
#include "grading/remote.hpp"
#include "grading/tier_here.hpp"
#include "grading/wire.hpp"

namespace pipeline {
namespace {

using namespace std::string_literals;
using test::ForkedEnd;
using test::number_bytes;

const std::filesystem::path kStandIns =
    std::filesystem::path(WORKBOOK_BUILD) / "exercises/10t_gpipe_test/stand_ins";

// Functions of exercise 10, by their places in its contract.
std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  return call_remote<std::vector<double>>(1, "accumulate", gradients, rows);
}
std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent) {
  return call_remote<std::int32_t>(2, "micro_batches_needed", devices, percent);
}

std::string verdict_bytes(std::int32_t ran, std::int32_t failed,
                          const std::string& said) {
  Writer writer;
  writer.put(ran);
  writer.put(failed);
  writer.put(said);
  return writer.bytes();
}

/// What a worker that does this comes to, put to the answer of this name.
Round round_of(const std::function<std::string()>& worker, const char* answer) {
  const ForkedEnd end(worker);
  StandIn stand_in(kStandIns / answer);
  return play_round(end.socket(), stand_in);
}

/// A test with teeth for one of the functions.
std::string honest() {
  const bool right = micro_batches_needed(4, 50) == 3;
  const bool zero = micro_batches_needed(1, 1) == 1;
  exchange(kTestsVerdict, "main",
           verdict_bytes(2, (right ? 0 : 1) + (zero ? 0 : 1), right ? "" : "not 3"));
  return "";
}

TEST(Round, CountsCallsAndTakesTheVerdict) {
  if (!kKitsAreHere) GTEST_SKIP() << kNoKits;
  const Round round = round_of(honest, "solution");
  EXPECT_TRUE(round.accepted());
  EXPECT_FALSE(round.rejected());
  EXPECT_EQ(round.ran, 2);
  EXPECT_EQ(round.calls, 2);
  EXPECT_EQ(round.said, "");
}

TEST(Round, PutsTheMistakeInThePlaceOfTheSolution) {
  if (!kKitsAreHere) GTEST_SKIP() << kNoKits;
  const Round wrong = round_of(honest, "bubble_over_ideal");
  EXPECT_TRUE(wrong.rejected());
  EXPECT_EQ(wrong.failed, 1);
  EXPECT_EQ(wrong.said, "not 3");
  EXPECT_TRUE(round_of(honest, "mean_of_means").accepted());  // of another function
}

TEST(Round, ThrowsFromACallThatBreaksTheAnswerOnAndStillHearsTheVerdict) {
  if (!kKitsAreHere) GTEST_SKIP() << kNoKits;
  const Round round = round_of(
      [] {
        std::string said;
        for (int i = 0; i < 2; ++i) {
          try {
            accumulate({}, {});  // there is at least one micro-batch
          } catch (const CallFailed& failed) {
            said += failed.what() + "\n"s;
          }
        }
        exchange(kTestsVerdict, "main", verdict_bytes(1, 1, said));
        return ""s;
      },
      "solution");
  const std::string once =
      "accumulate threw: it crashed. Does its contract allow what it was given?\n";
  EXPECT_TRUE(round.rejected());
  EXPECT_EQ(round.said, once + once);
  EXPECT_EQ(round.calls, 2);
}

TEST(Round, IsNotOverBeforeAVerdictThatCanBeRead) {
  const auto says = [](const std::string& message) {
    return [message] {
      send_message(kSocket, message);
      return ""s;
    };
  };
  const std::string head = number_bytes(1) + "\xff\xff";
  const std::string good = verdict_bytes(1, 0, "");
  EXPECT_TRUE(round_of(says(head + good), "solution").ended);
  EXPECT_FALSE(round_of(says(head), "solution").ended);
  EXPECT_FALSE(round_of(says(head + good + "x"), "solution").ended);
  EXPECT_FALSE(round_of(says(head + good.substr(1)), "solution").ended);
  EXPECT_FALSE(round_of(says("short"), "solution").ended);
  EXPECT_FALSE(round_of([] { return ""s; }, "solution").ended);
}

TEST(Round, KeepsNoMoreOfAFailureThanItShows) {
  const Round round = round_of(
      [] {
        exchange(kTestsVerdict, "main", verdict_bytes(1, 1, std::string(100000, 'x')));
        return ""s;
      },
      "solution");
  EXPECT_EQ(round.said, std::string(kMostSaid, 'x'));
}

TEST(StandIn, IsGoneAtACallOfAFunctionThatThereIsNot) {
  StandIn stand_in(kStandIns / "solution");
  EXPECT_NE(stand_in.reply(number_bytes(7) + "\x63\0"s).find("it crashed"),
            std::string::npos);
}

TEST(StandIn, ThatCannotBeStartedIsGoneFromTheStart) {
  StandIn stand_in(kStandIns / "no_such_answer");
  const std::string reply = stand_in.reply(number_bytes(7) + "\0\0"s);
  EXPECT_EQ(reply.substr(0, 5), number_bytes(7) + '\1');
}

}  // namespace
}  // namespace pipeline
