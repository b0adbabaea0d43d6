#include "lab/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "lab/board_test_support.hpp"
#include "schedule/exact.hpp"
#include "schedule/verify.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

std::string name_of(const BoardLevel& level) {
  return "level " + std::to_string(level.number) + " (" + std::string(level.title) +
         ")";
}

double value_of(const BoardLevel& level, const Schedule& schedule) {
  const auto timeline = simulate(schedule, rules_of(level).costs);
  if (!timeline) return -1;
  const Metrics metrics = measure(schedule, *timeline);
  return level.measure == BoardMeasure::LongestSpan ? metrics.longest_span
                                                    : metrics.makespan;
}

TEST(Levels, AreAtLeastTwelveThatLeadFromChapterToChapter) {
  ASSERT_GE(levels().size(), 12U);
  std::string_view chapter = "01";
  for (std::size_t i = 0; i < levels().size(); ++i) {
    const BoardLevel& level = levels()[i];
    EXPECT_EQ(level.number, static_cast<std::int32_t>(i + 1));
    EXPECT_EQ(find_level(level.number), &level);
    EXPECT_GE(level.chapter, chapter) << name_of(level);
    chapter = level.chapter;
    EXPECT_FALSE(level.title.empty());
    EXPECT_FALSE(level.task.empty());
    for (const auto hint : level.hints) EXPECT_FALSE(hint.empty()) << name_of(level);
  }
  EXPECT_EQ(levels().front().devices, 2);
  EXPECT_EQ(find_level(0), nullptr);
  EXPECT_EQ(find_level(1'000'000), nullptr);
}

TEST(Levels, CanEachBeSolvedByMovesOnTheirBoard) {
  for (const BoardLevel& level : levels()) {
    Board board(rules_of(level));
    follow(board, solution_of(level));
    EXPECT_EQ(board.left(), 0U) << name_of(level);
    EXPECT_EQ(measured(board, level.measure), level.optimum) << name_of(level);
    EXPECT_EQ(stars_of(level, board), 3) << name_of(level);
    EXPECT_EQ(value_of(level, finished(board)), level.optimum) << name_of(level);
    VerifyOptions options;
    options.memory_limit = board.rules().memory_limit;
    const auto faults = verify(finished(board), options);
    EXPECT_TRUE(faults.empty()) << name_of(level) << ": " << faults.front().reason;
  }
}

TEST(Levels, SayHowLongTheirReferenceTakes) {
  for (const BoardLevel& level : levels()) {
    EXPECT_EQ(value_of(level, reference_of(level)), level.reference_value)
        << name_of(level);
    EXPECT_GE(level.goal, level.optimum);
  }
}

/// Whether the search through all ways knows what the level is about.
bool can_be_searched(const BoardLevel& level) {
  return level.placement != LevelPlacement::TwoWay &&
         (level.kinds == "FB" || level.kinds == "FIW");
}

/// What all ways of going through everything cannot beat.
double searched_optimum(const BoardLevel& level) {
  const BoardRules rules = rules_of(level);
  ExactOptions options;
  options.split_backward = level.kinds == "FIW";
  options.objective = level.measure == BoardMeasure::LongestSpan
                          ? ExactObjective::LongestSpan
                          : ExactObjective::Makespan;
  const auto answer = exact(rules.blank.placement, level.micro_batches, rules.costs,
                            {rules.memory_limit, 0}, options);
  EXPECT_TRUE(answer) << name_of(level) << ": " << answer.error().what;
  return answer ? answer->optimum : -1;
}

TEST(Levels, HaveNoShorterScheduleThanTheirOptimum) {
  for (const BoardLevel& level : levels()) {
    const double bound = least_possible(Board(rules_of(level)), level.measure);
    if (can_be_searched(level)) {
      EXPECT_EQ(searched_optimum(level), level.optimum) << name_of(level);
      EXPECT_LE(bound, level.optimum) << name_of(level);
    } else {
      EXPECT_EQ(bound, level.optimum) << name_of(level);
    }
  }
}

TEST(Levels, LimitAllDevicesAlikeOrEachByItself) {
  for (const BoardLevel& level : levels()) {
    const std::size_t size = level.limit.size();
    EXPECT_TRUE(size <= 1 || size == static_cast<std::size_t>(level.devices))
        << name_of(level);
    const std::vector<double> limits = rules_of(level).memory_limit;
    ASSERT_EQ(limits.size(), size);
    for (const double limit : limits) EXPECT_GT(limit, 0) << name_of(level);
  }
  EXPECT_EQ(rules_of(*find_level(8)).memory_limit, (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(rules_of(*find_level(10)).memory_limit, std::vector<double>{2.5});
  EXPECT_TRUE(rules_of(*find_level(6)).memory_limit.empty());
}

/// What is printed of a level says how large it is, and takes no time for a place.
TEST(Levels, SayHowManyDevicesAndMicroBatchesThereAre) {
  constexpr std::array<std::string_view, 6> kWords{"none",  "one",  "two",
                                                   "three", "four", "five"};
  for (const BoardLevel& level : levels()) {
    std::string words = std::string(level.title) + ". " + std::string(level.task);
    std::transform(words.begin(), words.end(), words.begin(),
                   [](char c) { return static_cast<char>(std::tolower(c)); });
    const auto says = [&](std::int32_t count, const std::string& noun) {
      std::string said(kWords[static_cast<std::size_t>(count)]);
      return words.find(said.append(" ").append(noun)) != words.npos;
    };
    EXPECT_TRUE(says(level.devices, "devices")) << name_of(level);
    EXPECT_TRUE(says(level.micro_batches, "micro-batches")) << name_of(level);
    for (const std::string_view hint : level.hints)
      EXPECT_EQ(hint.find("at tick "), hint.npos) << name_of(level);
  }
}

/// One micro-batch at a time, through all devices and back; of forwards alone the last
/// device takes them in the opposite order.
Schedule naive(const BoardLevel& level) {
  Schedule schedule = rules_of(level).blank;
  const auto kinds = kinds_of(level.kinds);
  for (std::int32_t k = 0; k < level.micro_batches; ++k) {
    for (const ActionKind kind : kinds) {
      for (std::int32_t s = 0; s < schedule.stages(); ++s) {
        const std::int32_t stage =
            kind == ActionKind::Forward ? s : schedule.stages() - 1 - s;
        schedule.rows[static_cast<std::size_t>(schedule.device_of(stage, k))].push_back(
            {{kind, 0, stage, k}});
      }
    }
  }
  if (level.kinds == "F")
    std::reverse(schedule.rows.back().begin(), schedule.rows.back().end());
  return schedule;
}

TEST(Levels, AreNotSolvedByTheNaiveOrder) {
  for (const BoardLevel& level : levels()) {
    Board board(rules_of(level));
    follow(board, naive(level));
    EXPECT_EQ(board.left(), 0U) << name_of(level);
    EXPECT_EQ(stars_of(level, board), 1) << name_of(level);
  }
}

TEST(Levels, GiveNoStarsBeforeAllIsPlaced) {
  const BoardLevel& level = *find_level(1);
  Board board(rules_of(level));
  EXPECT_EQ(play(board, "0F0.0F1.0F2.1F0.1F1"), "");
  EXPECT_EQ(stars_of(level, board), 0);
  EXPECT_EQ(play(board, "1F2"), "");
  EXPECT_EQ(stars_of(level, board), 3);
}

}  // namespace
}  // namespace pipeline
