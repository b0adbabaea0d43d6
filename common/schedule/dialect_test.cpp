#include "schedule/dialect.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::from_rows;
using test::reasons;

constexpr std::array kDialects{Dialect::Torch, Dialect::ZeroBubble};

Schedule read(Dialect dialect, std::string_view text, const std::string& name = "x") {
  const auto schedule = parse_dialect(dialect, text, {name});
  EXPECT_TRUE(schedule) << schedule.error().what << "\n" << schedule.error().remedy;
  return schedule ? *schedule : Schedule{};
}

std::string refusal(Dialect dialect, std::string_view text) {
  const auto schedule = parse_dialect(dialect, text);
  EXPECT_FALSE(schedule) << text;
  return schedule ? "" : schedule.error().what;
}

std::string refusal_to_write(Dialect dialect, const Schedule& schedule) {
  const auto text = to_dialect(dialect, schedule);
  EXPECT_FALSE(text) << *text;
  return text ? "" : text.error().what;
}

/// What every generator makes of a few shapes, where it makes anything.
std::vector<Schedule> every_schedule() {
  std::vector<Schedule> all;
  for (const Generator& generator : generators()) {
    for (const auto& [devices, micro_batches] :
         {std::pair{1, 1}, {1, 4}, {2, 2}, {3, 5}, {4, 3}, {4, 8}, {4, 10}, {6, 12}}) {
      Request request;
      request.shape = {devices, micro_batches, 1};
      if (auto schedule = generator.generate(request)) all.push_back(*schedule);
    }
  }
  return all;
}

class EitherDialect : public testing::TestWithParam<Dialect> {};
INSTANTIATE_TEST_SUITE_P(Of, EitherDialect, testing::ValuesIn(kDialects),
                         [](const auto& of) {
                           return of.param == Dialect::Torch ? "Torch" : "ZeroBubble";
                         });

TEST_P(EitherDialect, ReadsBackWhatItWroteOfEveryGenerator) {
  int written = 0;
  for (const Schedule& schedule : every_schedule()) {
    SCOPED_TRACE(to_text(schedule));
    const auto text = to_dialect(GetParam(), schedule);
    if (!text) {
      // Only what has a reason of its own is refused.
      const bool inexpressible =
          schedule.weights != WeightPolicy::Synchronous ||
          schedule.placement.copies() == 2 || !schedule.slices.empty() ||
          (GetParam() == Dialect::ZeroBubble && schedule.name == "dualpipe-v");
      EXPECT_TRUE(inexpressible) << text.error().what;
      continue;
    }
    ++written;
    EXPECT_EQ(read(GetParam(), *text, schedule.name), schedule);
  }
  EXPECT_GE(written, 4 * 8);
}

TEST_P(EitherDialect, EndsTheStepWithTheNormIfAsked) {
  const auto schedule = one_f_one_b({2, 3, 1, /*global_norm=*/true});
  const auto text = to_dialect(GetParam(), *schedule);
  const auto back = parse_dialect(GetParam(), *text, {"1f1b", /*global_norm=*/true});
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, *schedule);
}

TEST_P(EitherDialect, WritesOnlyWhatItHasWordsFor) {
  const auto steps = gpipe({2, 2, 3});
  EXPECT_NE(refusal_to_write(GetParam(), *steps).find("holds one step"),
            std::string::npos);

  Schedule asynchronous = *gpipe({2, 2, 1});
  asynchronous.weights = WeightPolicy::Stashed;
  EXPECT_NE(refusal_to_write(GetParam(), asynchronous).find("nothing of updates"),
            std::string::npos);

  Schedule sliced = *gpipe({2, 2, 1});
  sliced.slices = {2, 2};
  EXPECT_NE(refusal_to_write(GetParam(), sliced).find("slices"), std::string::npos);

  const Schedule recomputed = from_rows(1, {"F0 R0 B0 U0"});
  EXPECT_NE(refusal_to_write(GetParam(), recomputed).find("recomputation"),
            std::string::npos);

  const Schedule idle = from_rows(1, {"F0 B0 U0", ""}, {0});
  EXPECT_NE(refusal_to_write(GetParam(), idle).find("device 1 has nothing to do"),
            std::string::npos);
  EXPECT_FALSE(to_dialect(GetParam(), Schedule{}));
}

TEST_P(EitherDialect, RefusesATextThatHoldsNothing) {
  for (const char* text : {"", "\n", " \r\n\t\n"}) {
    EXPECT_EQ(refusal(GetParam(), text), "the file holds no action");
  }
}

TEST(TorchDialect, ReadsWhatARankDumps) {
  const Schedule schedule = read(Dialect::Torch,
                                 "0F0,0F1,,,0B0,,0I1,0W1\r\n"
                                 ",1F0,1B0,1F1,\"1B1\"\r\n");
  EXPECT_EQ(schedule, [] {
    Schedule expected = from_rows(2, {"F0 F1 B0 I1 W1 U1", "F0 B0 F1 B1 U1"});
    expected.name = "x";
    return expected;
  }());
}

TEST(TorchDialect, ReadsOverlappedPairs) {
  const Schedule schedule =
      read(Dialect::Torch, "0F0,0F1, (0F2;0B0)OVERLAP_F_B ,0B1,0B2\n");
  EXPECT_EQ(schedule.rows, from_rows(3, {"F0 F1 F2+B0 B1 B2 U2"}).rows);
}

TEST(TorchDialect, FindsTheStagesOfEachRank) {
  EXPECT_EQ(read(Dialect::Torch, "0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n").placement,
            v_placement(2));
  EXPECT_EQ(read(Dialect::Torch, "0F0,2F0,2B0,0B0\n1F0,3F0,3B0,1B0\n").placement,
            loop_placement(2, 2));
}

TEST(TorchDialect, SkipsWhatConcernsTheReplicasOfAStage) {
  EXPECT_EQ(read(Dialect::Torch, "0UNSHARD,0F0,0B0,0RESHARD,0REDUCE_GRAD\n").rows,
            from_rows(1, {"F0 B0 U0"}).rows);
}

TEST(TorchDialect, ReadsForwardsAlone) {
  const Schedule schedule = read(Dialect::Torch, "0F0,0F1\n1F0,1F1\n");
  EXPECT_FALSE(schedule.training);
  EXPECT_EQ(schedule, [] {
    Schedule expected = *forward_only({2, 2, 1});
    expected.name = "x";
    return expected;
  }());
}

TEST(TorchDialect, ReadsTheNamesOfOlderFiles) {
  const auto rows = from_rows(2, {"F0 F1 I0 W0 I1 W1 U1"}).rows;
  EXPECT_EQ(read(Dialect::Torch, "0F0,0F1,0B0,0W0,0B1,0W1\n").rows, rows);
  EXPECT_EQ(read(Dialect::Torch, "0F0,0F1,0BW0,0B1,0W1\n").rows,
            from_rows(2, {"F0 F1 B0 I1 W1 U1"}).rows);
  // A B without its W is a full backward, whatever else is missing.
  EXPECT_EQ(read(Dialect::Torch, "0F0,0F1,0B0,0W0,0B1\n").rows,
            from_rows(2, {"F0 F1 B0 W0 B1 U1"}).rows);
}

TEST(TorchDialect, FindsTwoCopiesOfTheWeightsByTheHalvesOfTheMicroBatches) {
  const Schedule schedule = read(Dialect::Torch,
                                 "0F0,1F1,1B1,0B0\n"
                                 "1F0,0F1,1B0,0B1\n");
  EXPECT_EQ(schedule.placement, two_way_placement(2));
  EXPECT_EQ(reasons(verify(schedule)), std::vector<std::string>{});
}

TEST(TorchDialect, RefusesAStageThatIsSpreadOverRanks) {
  EXPECT_EQ(refusal(Dialect::Torch,
                    "0F0,0F2,0B0,0B2\n"
                    "0F1,0F3,0B1,0B3\n"),
            "the actions of stage 0 are spread over several lines");
}

TEST(TorchDialect, LeavesAFewActionsInAWrongRowToVerify) {
  const Schedule schedule = read(Dialect::Torch,
                                 "0F0,0F1,0B0\n"
                                 "1F0,1B0,1F1,1B1,0B1\n");
  const auto faults = verify(schedule);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].kind, FaultKind::WrongDevice);
}

TEST(TorchDialect, NamesLineAndCellOfWhatItCannotRead) {
  EXPECT_EQ(refusal(Dialect::Torch, "0F0,0B0\n1F0,,1X0\n"),
            "line 2, cell 3: '1X0' is no action");
  for (const char* cell : {"F0",
                           "0F",
                           "0",
                           "0F0x",
                           "0F-1",
                           "-1F0",
                           "0F0 1F0",
                           "0f0",
                           "(",
                           "()",
                           "(0F0;0B0)",
                           "(0F0)OVERLAP_F_B",
                           "0SEND_F",
                           "0SEND0",
                           "0F99999999",
                           "99999999F0",
                           "0F0.1",
                           "(0F0;0B0)OVERLAP",
                           "((0F0;0B0)OVERLAP_F_B",
                           "0UNSHARDx",
                           "\x01"}) {
    EXPECT_EQ(refusal(Dialect::Torch, std::string("0F0,") + cell).substr(0, 16),
              "line 1, cell 2: ")
        << cell;
  }
  EXPECT_EQ(refusal(Dialect::Torch, "0F0\n\n1F0\n").substr(0, 8), "line 2, ");
  EXPECT_NE(refusal(Dialect::Torch, "(0F0;0SEND_F0)OVERLAP_F_B")
                .find("overlaps what does not compute"),
            std::string::npos);
}

TEST(TorchDialect, RefusesAShortTextThatNamesAVastSchedule) {
  for (const char* text :
       {"1000000F60000000", "0F60000000", "1000000F0", "0F0,67108863F67108863"}) {
    const std::string what = refusal(Dialect::Torch, text);
    EXPECT_NE(what.find("are named by only"), std::string::npos) << what;
  }
  EXPECT_NE(
      refusal(Dialect::Torch, "0F0,2F0").find("no line holds an action of stage 1"),
      std::string::npos);
}

TEST(TorchDialect, GivesLoweredRowsWhereAFileSendsAndReceives) {
  const Schedule schedule = read(Dialect::Torch,
                                 "0F0,0SEND_F0,0RECV_B0,0B0\n"
                                 "1RECV_F0,1F0,1B0,1SEND_B0\n");
  EXPECT_EQ(schedule.rows, from_rows(1, {"F0 SA0 RG0 B0 U0", "RA0 F0 B0 SG0 U0"}).rows);
  EXPECT_TRUE(is_lowered(schedule));
  EXPECT_EQ(reasons(verify(schedule)), std::vector<std::string>{});
}

TEST(TorchDialect, ShowsVerifyAFileThatHangsWithoutBuffers) {
  // Both ends send before they receive: fine with room for a message, and not without.
  const Schedule schedule =
      read(Dialect::Torch,
           "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
           "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n");
  EXPECT_EQ(reasons(verify(schedule, {{}, 1})), std::vector<std::string>{});
  const auto faults = verify(schedule, {{}, 0});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].kind, FaultKind::Blocked);
}

TEST(TorchDialect, WritesGroupsOfMessagesInAnOrderThatNeverHangs) {
  int written = 0;
  for (const Schedule& schedule : every_schedule()) {
    const Schedule lowered = lower(schedule);
    if (!is_lowered(lowered) || !to_dialect(Dialect::Torch, schedule)) continue;
    SCOPED_TRACE(to_text(lowered));
    const auto text = to_dialect(Dialect::Torch, lowered);
    const bool hangs = !verify(lowered, {{}, 0}).empty();
    ASSERT_EQ(text.has_value(), !hangs);
    if (hangs) continue;
    ++written;
    const Schedule back = read(Dialect::Torch, *text, schedule.name);
    EXPECT_EQ(reasons(verify(back, {{}, 0})), std::vector<std::string>{});
    EXPECT_EQ(*to_dialect(Dialect::Torch, back), *text);
    // Without its messages it is the schedule that it was.
    Schedule computed = back;
    for (Row& row : computed.rows) {
      std::erase_if(row,
                    [](const Entry& e) { return is_communication(e.action.kind); });
    }
    EXPECT_EQ(computed, schedule);
  }
  EXPECT_GE(written, 4 * 6);
}

TEST(TorchDialect, DoesNotWriteRowsThatHang) {
  const Schedule hanging = from_rows(
      2, {"F0 SA0 F1 SA1 RG0 B0 RG1 B1 U1", "RA0 F0 B0 SG0 RA1 F1 B1 SG1 U1"});
  EXPECT_EQ(refusal_to_write(Dialect::Torch, hanging), "device 0 hangs in its row");
  const Schedule unanswered = from_rows(1, {"F0 B0 U0 SA0", "F0 B0 U0"});
  EXPECT_EQ(refusal_to_write(Dialect::Torch, unanswered), "device 0 hangs in its row");
}

TEST(TorchDialect, WritesNoCellThatPyTorchDoesNotHave) {
  const Schedule joined = from_rows(2, {"F0+F1 B0 B1 U1"});
  EXPECT_NE(refusal_to_write(Dialect::Torch, joined).find("has no cell for"),
            std::string::npos);
  const Schedule both = from_rows(1, {"F0 B0 W0 U0"});
  EXPECT_NE(refusal_to_write(Dialect::Torch, both).find("reads as B in older files"),
            std::string::npos);
}

TEST(ZeroBubbleDialect, CallsTheInputGradientB) {
  const Schedule schedule = read(Dialect::ZeroBubble,
                                 "# two devices\n"
                                 "F0 F1 B0 W0 B1 W1\n"
                                 "   F0,B0,,F1 W0\tBW1\n");
  EXPECT_EQ(schedule.rows,
            from_rows(2, {"F0 F1 I0 W0 I1 W1 U1", "F0 I0 F1 W0 B1 U1"}).rows);
  EXPECT_EQ(*to_dialect(Dialect::ZeroBubble, schedule),
            "F0 F1 B0 W0 B1 W1\nF0 B0 F1 W0 BW1\n");
}

TEST(ZeroBubbleDialect, ReadsLowerCaseAsTheWayBackOfAV) {
  const Schedule schedule = read(Dialect::ZeroBubble,
                                 "F-0 f-0 b-0 w-0 B-0 W-0\n"
                                 "F-0 f-0 b-0 w-0 B-0 W-0\n");
  EXPECT_EQ(schedule.placement, v_placement(2));
  EXPECT_EQ(schedule.rows, from_rows(1,
                                     {"0F0 3F0 3I0 3W0 0I0 0W0 0U0 3U0",
                                      "1F0 2F0 2I0 2W0 1I0 1W0 1U0 2U0"},
                                     {0, 1, 1, 0})
                               .rows);
  EXPECT_EQ(reasons(verify(schedule)), std::vector<std::string>{});
}

TEST(ZeroBubbleDialect, ReadsBackwardsThatAreNamedInTheOrderInWhichTheyRun) {
  EXPECT_EQ(read(Dialect::ZeroBubble,
                 "F0,,,f0,B0,W0,,b0,w0\n"
                 ",F0,f0,,,B0,W0,b0,w0\n"),
            read(Dialect::ZeroBubble,
                 "F0,,,f0,b0,w0,,B0,W0\n"
                 ",F0,f0,,,b0,w0,B0,W0\n"));
}

TEST(ZeroBubbleDialect, ReadsANumberedStageAsALoop) {
  const Schedule schedule = read(Dialect::ZeroBubble,
                                 "F0 F0.1 BW0.1 BW0\n"
                                 "F0 F0.1 BW0.1 BW0\n");
  EXPECT_EQ(schedule.placement, loop_placement(2, 2));
  EXPECT_EQ(reasons(verify(schedule)), std::vector<std::string>{});
}

TEST(ZeroBubbleDialect, NamesLineAndCellOfWhatItCannotRead) {
  EXPECT_EQ(refusal(Dialect::ZeroBubble, "# note\nF0 B0\nF0 X0\n"),
            "line 3, cell 2: 'X0' is no action");
  for (const char* cell : {"F", "0", "0F0", "FB0", "I0", "F--0", "F0.", "F0.x", "F0-1",
                           "F0.1.1", "WB0", "Bw0", "F99999999", "\x7f"}) {
    EXPECT_EQ(refusal(Dialect::ZeroBubble, std::string("F0 ") + cell).substr(0, 16),
              "line 1, cell 2: ")
        << cell;
  }
  EXPECT_EQ(refusal(Dialect::ZeroBubble, "F0 f0 F0.1"),
            "line 1, cell 3: 'F0.1': lower case is for a V and '.' for a loop");
  EXPECT_EQ(refusal(Dialect::ZeroBubble, "F0\n\nF0\n").substr(0, 8), "line 2, ");
}

TEST(ZeroBubbleDialect, RefusesAShortTextThatNamesAVastSchedule) {
  for (const char* text : {"F60000000", "F0.1000000", "F0.60000000", "F1000000.1000"}) {
    const std::string what = refusal(Dialect::ZeroBubble, text);
    EXPECT_NE(what.find("are named by only"), std::string::npos) << what;
  }
}

TEST(ZeroBubbleDialect, WritesOnlyWhatItsLettersCanTell) {
  EXPECT_NE(refusal_to_write(Dialect::ZeroBubble, lower(*gpipe({2, 1, 1})))
                .find("sends and receives"),
            std::string::npos);
  EXPECT_NE(refusal_to_write(Dialect::ZeroBubble, from_rows(2, {"F0 F1+B0 B1 U1"}))
                .find("overlapped pair"),
            std::string::npos);
  EXPECT_NE(refusal_to_write(Dialect::ZeroBubble,
                             from_rows(1, {"1F0 1B0 U0", "0F0 0B0 U0"}, {1, 0}))
                .find("in a row, a V or a loop"),
            std::string::npos);
  EXPECT_NE(refusal_to_write(Dialect::ZeroBubble,
                             from_rows(1, {"0F0 1F0 0B0 1B0 0U0 1U0"}, {0, 0}))
                .find("stands before that on the way back"),
            std::string::npos);
  Schedule two_way = read(Dialect::Torch, "0F0,1F1,1B1,0B0\n1F0,0F1,1B0,0B1\n");
  EXPECT_NE(refusal_to_write(Dialect::ZeroBubble, two_way).find("two copies"),
            std::string::npos);
}

}  // namespace
}  // namespace pipeline
