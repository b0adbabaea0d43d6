#include "lab/board.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lab/board_test_support.hpp"
#include "schedule/generate.hpp"
#include "schedule/verify.hpp"
#include "timeline/memory.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

TEST(Board, RunsEachActionAsSoonAsItsInputsAreThere) {
  BoardRules rules = line_board(2, 2, "FB");
  rules.costs.within_node.latency = 1;
  Board board(rules);
  ASSERT_EQ(play(board, "0F0.1F0.1B0.0F1"), "");
  EXPECT_EQ(board.timeline().spans[1][0].start, 2);
  EXPECT_EQ(board.timeline().spans[1][1].end, 5);
  EXPECT_EQ(board.timeline().spans[0][1].start, 1);
  ASSERT_EQ(play(board, "0B0"), "");
  EXPECT_EQ(board.timeline().spans[0][2].start, 6);
  EXPECT_EQ(board.left(), 3U);
}

TEST(Board, NamesWhatIsMissing) {
  Board board(line_board(3, 2, "FB"));
  EXPECT_EQ(play(board, "1F0"),
            "F0 of stage 1 needs F0 of stage 0, which is not placed yet.");
  ASSERT_EQ(play(board, "0F0.1F0"), "");
  EXPECT_EQ(play(board, "0B0"),
            "B0 of stage 0 needs B0 of stage 1, which is not placed yet; that begins "
            "with F0 of stage 2.");
  EXPECT_EQ(play(board, "2B0"),
            "B0 of stage 2 needs F0 of stage 2, which is not placed yet.");
}

TEST(Board, RefusesWhatIsNotItsOwn) {
  Board board(line_board(2, 2, "FB"));
  ASSERT_EQ(play(board, "0F0"), "");
  EXPECT_EQ(play(board, "0F0"), "F0 of stage 0 is on device 0 already.");
  EXPECT_EQ(play(board, "0F2"), "There is no micro-batch 2: they run from 0 to 1.");
  EXPECT_EQ(play(board, "0I0"), "This board has no I: its actions are F and B.");
  EXPECT_EQ(play(board, "01F0"), "F0 of stage 1 belongs on device 1, not on device 0.");
  EXPECT_EQ(play(board, "05F0"), "There is no stage 5: stages run from 0 to 1.");
}

TEST(Board, KeepsItsMemoryLimit) {
  BoardRules rules = line_board(2, 3, "FIW");
  rules.memory_limit = {2, 1};
  Board board(rules);
  ASSERT_EQ(play(board, "0F0.0F1"), "");
  EXPECT_EQ(play(board, "0F2"),
            "F2 of stage 0 does not fit: device 0 holds 2 of at most 2 activations, "
            "and a W there frees one.");
  ASSERT_EQ(play(board, "1F0.1I0.0I0"), "");
  EXPECT_NE(play(board, "0F2"), "") << "an I frees nothing";
  EXPECT_EQ(play(board, "0W0.0F2"), "");
  EXPECT_EQ(board.peak()[0], 2);
  EXPECT_EQ(play(board, "1F1"),
            "F1 of stage 1 does not fit: device 1 holds 1 of at most 1 activation, "
            "and a W there frees one.");
}

TEST(Board, SaysHowMuchOneOfSeveralStagesFrees) {
  BoardRules loop = line_board(2, 4, "FB");
  loop.blank.placement = loop_placement(2, 2);
  loop.memory_limit = {1.25};
  Board board(loop);
  ASSERT_EQ(play(board, "00F0.00F1"), "");
  EXPECT_EQ(play(board, "00F2"),
            "F2 of stage 0 does not fit: device 0 holds 1 of at most 1.25 activations, "
            "and a B there frees 0.5.");
  BoardRules v = line_board(2, 4, "FIW");
  v.blank.placement = v_placement(2);
  v.memory_limit = {1};
  Board other(v);
  ASSERT_EQ(play(other, "00F0.00F1"), "");
  EXPECT_EQ(play(other, "00F2"),
            "F2 of stage 0 does not fit: device 0 holds 1 of at most 1 activation, and "
            "a W there frees 0.5.");
}

TEST(Board, WritesALimitInAllItsDigits) {
  BoardRules rules = line_board(1, 3, "FB");
  rules.memory_limit = {2.999};
  Board board(rules);
  EXPECT_FALSE(board.is_full(0));
  EXPECT_EQ(
      play(board, "0F0.0F1.0F2"),
      "F2 of stage 0 does not fit: device 0 holds 2 of at most 2.999 activations, "
      "and a B there frees one.");
  EXPECT_TRUE(board.is_full(0));
}

TEST(Board, HoldsBetweenForwardAndRecomputeNothing) {
  BoardRules rules = line_board(1, 2, "FRB");
  rules.memory_limit = {1};
  Board board(rules);
  EXPECT_EQ(play(board, "0F0.0F1.0R0"), "");
  EXPECT_EQ(play(board, "0B1"),
            "B1 of stage 0 needs R1 of stage 0, which is not placed yet.");
  EXPECT_NE(play(board, "0R1").find("does not fit"), std::string::npos);
  EXPECT_EQ(play(board, "0B0.0R1.0B1"), "");
  EXPECT_TRUE(verify(finished(board), {.memory_limit = {1}}).empty());
}

TEST(Board, SaysWhatIsReadyAndWhenItWouldStart) {
  Board board(line_board(2, 2, "FB"));
  ASSERT_EQ(play(board, "0F0.1F0"), "");
  const auto ready = board.ready();
  ASSERT_EQ(ready.size(), 2U);
  EXPECT_EQ(to_text(ready[0].move, board.placed()), "0F1");
  EXPECT_EQ(ready[0].span.start, 1);
  EXPECT_EQ(to_text(ready[1].move, board.placed()), "1B0");
  EXPECT_EQ(ready[1].span.start, 2);
  EXPECT_EQ(ready[1].span.end, 4);
}

TEST(Board, ReadyIsWhatIsNotRefused) {
  for (const BoardLevel& level : levels()) {
    Board board(rules_of(level));
    while (true) {
      const auto ready = board.ready();
      for (const ReadyMove& move : ready)
        EXPECT_EQ(board.refusal(move.move), "") << level.number;
      if (ready.empty()) break;
      board.place(ready.back().move);
    }
  }
}

/// Whole schedules placed by hand take what `simulate` and `memory` say.
TEST(Board, AgreesWithTheSimulationAndWithItsMemory) {
  for (const auto& [name, kinds] :
       {std::pair{"gpipe", "FB"}, {"1f1b", "FB"}, {"zb-h1", "FIW"}, {"forward", "F"}}) {
    for (std::int32_t p = 1; p <= 5; ++p) {
      BoardRules rules = line_board(p, 6, kinds);
      rules.costs.within_node.latency = 0.5;
      Board board(rules);
      Request request;
      request.shape = {.devices = p, .micro_batches = 6};
      const auto schedule = generate(name, request);
      ASSERT_TRUE(schedule);
      follow(board, *schedule);
      ASSERT_EQ(board.left(), 0U) << name;
      Schedule built = finished(board);
      built.name = schedule->name;
      EXPECT_EQ(built, *schedule);
      const auto timeline = simulate(built, rules.costs);
      ASSERT_TRUE(timeline);
      for (std::size_t d = 0; d < board.timeline().spans.size(); ++d) {
        const auto& spans = board.timeline().spans[d];
        for (std::size_t i = 0; i < spans.size(); ++i) {
          EXPECT_EQ(spans[i].start, timeline->spans[d][i].start);
          EXPECT_EQ(spans[i].end, timeline->spans[d][i].end);
        }
      }
      EXPECT_EQ(board.peak(), memory(built).peak) << name;
      // Updates change nothing that is held.
      EXPECT_EQ(board.held_over_time(), memory_curve(built, *timeline)) << name;
    }
  }
}

TEST(Board, ReadsMovesAsItWritesThem) {
  const Schedule line = line_board(3, 12, "FB").blank;
  const Schedule loop = rules_of(*find_level(10)).blank;
  for (const Move& move : {Move{0, {ActionKind::Forward, 0, 0, 11}},
                           Move{2, {ActionKind::Backward, 0, 2, 0}}}) {
    EXPECT_EQ(*parse_move(to_text(move, line), line), move);
  }
  const Move there{1, {ActionKind::WeightGradient, 0, 3, 1}};
  EXPECT_EQ(to_text(there, loop), "13W1");
  EXPECT_EQ(*parse_move("13W1", loop), there);
}

TEST(Board, RefusesWordsThatAreNoMoves) {
  const Schedule line = line_board(3, 2, "FB").blank;
  for (const std::string text :
       {"", "F0", "0", "0F", "0F-1", "0Fx", "0F0 ", "9F0", "0SA0", "0U1", "0f0",
        "099999999999F0", "0F99999999999", "<script>", "0F0.1"}) {
    const auto move = parse_move(text, line);
    ASSERT_FALSE(move) << text;
    EXPECT_NE(move.error().what.find("is no move"), std::string::npos);
  }
  EXPECT_NE(parse_move("0F0", rules_of(*find_level(10)).blank)
                .error()
                .what.find("does not name its stage"),
            std::string::npos);
}

}  // namespace
}  // namespace pipeline
