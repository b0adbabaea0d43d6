#include "lab/board_answer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lab/answer.hpp"
#include "lab/board_test_support.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

void expect_in(const std::string& answer, const std::string& part) {
  EXPECT_NE(answer.find(part), std::string::npos) << part << " in\n" << answer;
}

std::string moves_of(const Board& board) {
  std::string moves;
  for (const Move& move : board.moves())
    moves += (moves.empty() ? "" : ".") + to_text(move, board.placed());
  return moves;
}

TEST(LevelsAnswer, NamesTaskChapterAndExerciseOfEach) {
  const std::string answer = lab_answer("op=levels");
  expect_in(answer, R"({"ok":true,"levels":[{"level":1,"title":"Two devices")");
  expect_in(answer, R"("chapter":"10","exercise":"10h_by_hand")");
  expect_in(answer, R"("limit":[3,2,1])");
  for (const BoardLevel& level : levels())
    expect_in(answer, "\"level\":" + std::to_string(level.number) + ",");
}

TEST(LevelsAnswer, OpensEachLevelsReferenceInTheLab) {
  const std::string answer = lab_answer("op=levels");
  std::size_t at = 0;
  std::size_t count = 0;
  const std::string key = "\"lab\":\"";
  while ((at = answer.find(key, at)) != answer.npos) {
    at += key.size();
    const std::string query = answer.substr(at, answer.find('"', at) - at);
    expect_in(lab_answer(query), R"({"ok":true)");
    ++count;
  }
  EXPECT_EQ(count, levels().size());
}

TEST(BoardAnswer, DrawsAnEmptyBoardWithWhatIsReady) {
  const std::string answer = lab_answer("op=board&level=1");
  expect_in(answer, R"("svg":"<svg)");
  expect_in(answer, R"("ready":[[0,"F0",0,1],[0,"F1",0,1],[0,"F2",0,1]])");
  expect_in(answer, R"("refused":null,"left":6)");
  expect_in(answer, R"("stars":0,"solved":false)");
  expect_in(answer, R"("next":[0,"F0",0])");
}

TEST(BoardAnswer, StopsAtTheMoveThatIsRefusedAndSaysWhy) {
  const std::string answer = lab_answer("op=board&level=5&moves=0F0.0B0.0F1");
  expect_in(answer, R"("refused":{"move":"0B0","why":"B0 of stage 0 needs B0 of )");
  expect_in(answer, R"("left":7)");
}

TEST(BoardAnswer, ScoresNamesAndHandsInWhatIsBuilt) {
  for (const BoardLevel& level : levels()) {
    Board board(rules_of(level));
    follow(board, solution_of(level));
    const std::string answer = lab_answer(
        "op=board&level=" + std::to_string(level.number) + "&moves=" + moves_of(board));
    expect_in(answer, R"("left":0)");
    expect_in(answer, R"("stars":3,"solved":true)");
    expect_in(answer, "std::string level_" + std::to_string(level.number) + "()");
    expect_in(answer, "\"answer\":\"// Exercise " + std::string(level.chapter) + "h, ");
    expect_in(answer, "#include \\\"exercise.hpp\\\"");
    EXPECT_TRUE(parse_schedule(to_text(finished(board))));
  }
  expect_in(lab_answer("op=board&level=1&moves=0F0.0F1.0F2.1F0.1F1.1F2"),
            R"("recognised":"the forward pipeline")");
}

TEST(BoardAnswer, PlaysOnAFreeBoard) {
  const std::string answer =
      lab_answer("op=board&p=1&m=1&kinds=FIW&F=2&moves=0F0.0I0.0W0");
  expect_in(answer, R"("left":0,"score":{"measure":"makespan","value":4)");
  expect_in(answer, R"("optimum":4,"reference":null)");
  expect_in(lab_answer("op=board&p=2&v=2&placement=v&m=1&kinds=FIW&moves=00F0.11F0"),
            R"("ready":[[1,"2F0",2,3]])");
  expect_in(lab_answer("op=board&p=2&v=2&F=1,2,1,2"), R"("ok":true)");
}

TEST(BoardAnswer, RefusesWhatIsNoBoard) {
  for (const auto& [query, field] : {std::pair{"level=0", "level"},
                                     {"level=99", "level"},
                                     {"level=x", "level"},
                                     {"p=9", "p"},
                                     {"p=0", "p"},
                                     {"m=33", "m"},
                                     {"m=1000000000", "m"},
                                     {"v=5", "v"},
                                     {"kinds=FW", "kinds"},
                                     {"placement=ring", "placement"},
                                     {"limit=0.5", "limit"},
                                     {"limit=1,2", "limit"},
                                     {"F=-1", "F"},
                                     {"F=1,2", "F"},
                                     {"I=1,2", "I"},
                                     {"W=1,2", "W"},
                                     {"kinds=FRB&R=1,2", "R"},
                                     // What a '%' stands for is read once.
                                     {"F=1%2625", "F"},
                                     {"F=1%26steps%3D64", "F"},
                                     {"F=%25", "F"},
                                     {"FB=1", "FB"},
                                     {"v=3&limit=0.33", "limit"},
                                     {"placement=v&v=1", "v"},
                                     {"placement=v&v=4", "v"},
                                     {"level=1&p=8", "p"},
                                     {"level=1&kinds=FIW", "kinds"},
                                     {"level=1&v=1", "v"},
                                     {"level=5&F=1", "F"},
                                     {"id=a%20b", "id"},
                                     {"c=nan", "c"},
                                     {"width=1", "width"},
                                     {"level=1&width=9999999", "width"},
                                     {"level=1&moves=%3Cscript%3E", "moves"},
                                     {"level=1&moves=0F0..0F1", "moves"},
                                     {"level=1&steps=2", "steps"}}) {
    const std::string answer = lab_answer(std::string("op=board&") + query);
    expect_in(answer, std::string(R"({"ok":false,"field":")") + field + "\"");
    EXPECT_LT(answer.size(), 1000U);
  }
}

TEST(BoardAnswer, GivesRemediesThatWork) {
  expect_in(lab_answer("op=board&v=3&limit=0.33"), "Give at least 0.34.");
  expect_in(lab_answer("op=board&v=3&limit=0.34"), R"("ok":true)");
  expect_in(lab_answer("op=board&v=2&limit=0.4"), "Give at least 0.5.");
  expect_in(lab_answer("op=board&v=3&limit=0.333333333333"), R"("ok":true)");
}

TEST(BoardAnswer, TakesKeysWithoutAValueAsAbsent) {
  EXPECT_EQ(lab_answer("op=board&level=&p=&moves="), lab_answer("op=board"));
  EXPECT_EQ(lab_answer("op=board&level=2&p=&id="), lab_answer("op=board&level=2"));
}

/// However short the ticks, and whatever sums of them come to.
TEST(BoardAnswer, CallsNothingAnOptimumThatIsNone) {
  const std::string naive = "&moves=0F0.1F0.1B0.0B0.0F1.1F1.1B1.0B1";
  for (const std::string tick : {"1e-6", "0.1", "1", "1000000"}) {
    std::string query = "op=board&p=2&m=2&kinds=FB" + naive;
    for (const char* key : {"&F=", "&I=", "&W="}) query.append(key).append(tick);
    const std::string answer = lab_answer(query);
    expect_in(answer, R"("left":0)");
    expect_in(answer, R"("optimum":null)");
    expect_in(answer, "none can take fewer");
  }
  const std::string best =
      lab_answer("op=board&p=1&m=3&F=.1&I=.1&W=.1&moves=0F0.0B0.0F1.0B1.0F2.0B2");
  expect_in(best, R"("value":0.9,)");
  expect_in(best, R"("optimum":0.9)");
  expect_in(best, "proven to be the least that is possible");
}

/// Level 12's reference has no gap, and is longer than any span of a device.
TEST(BoardAnswer, KeepsTheAxisFromTheFirstMoveToTheSolution) {
  for (const BoardLevel& level : levels()) {
    Board board(rules_of(level));
    follow(board, solution_of(level));
    const std::string query = "op=board&level=" + std::to_string(level.number);
    const auto scale = [&](const std::string& more) {
      const std::string answer = lab_answer(query + more);
      const std::size_t at = answer.find(R"("scale":)");
      return answer.substr(at, answer.find(',', at) - at);
    };
    EXPECT_EQ(scale(""), scale("&moves=" + moves_of(board))) << level.number;
  }
}

/// What is shown of memory is what is drawn of a whole schedule, also while a
/// recompute is still to come.
TEST(BoardAnswer, ShowsMemoryFromMomentToMoment) {
  expect_in(lab_answer("op=board&p=1&m=2&kinds=FRB&moves=0F0"),
            R"("points":[[0,1],[1,0]])");
  expect_in(lab_answer("op=board&p=1&m=1&kinds=FRB&moves=0F0.0R0.0B0"),
            R"("points":[[0,1],[4,0]])");
}

TEST(BoardAnswer, IsBoundedOnTheLargestBoard) {
  const std::string answer = lab_answer("op=board&p=8&m=32&v=4&kinds=FIW");
  expect_in(answer, R"("ok":true)");
  EXPECT_LT(answer.size(), 100'000U);
}

}  // namespace
}  // namespace pipeline
