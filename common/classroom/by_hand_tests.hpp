/// \file
/// For the tests of exercises NNh: schedules that were built by hand, in text form,
/// held against the level that they are to solve.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "classroom/test_words.hpp"
#include "lab/board.hpp"
#include "lab/levels.hpp"
#include "schedule/text.hpp"
#include "schedule/verify.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {

/// An answer: the schedule, and what is wrong with it (then there is none), or nothing.
struct ByHand {
  Schedule schedule;  ///< as it was read
  std::string fault;  ///< a sentence, or empty
};

/// The beginning of a message.
inline std::string level_in_words(const BoardLevel& level) {
  return "Level " + std::to_string(level.number) + ", \"" + std::string(level.title) +
         "\": ";
}

/// The end of a message.
inline std::string chapter_to_read(const BoardLevel& level) {
  return " Re-read chapter " + std::string(level.chapter) + ".";
}

/// What is wrong with the schedule's shape, or nothing.
inline std::string shape_fault(const BoardLevel& level, const Schedule& schedule) {
  const Schedule blank = rules_of(level).blank;
  if (schedule.placement != blank.placement) {
    return "stages lie on other devices than the level says: take the lines `devices` "
           "and `device-of-stage` from the board.";
  }
  if (schedule.micro_batches != blank.micro_batches || schedule.steps != 1) {
    return "it is to be one step of " + std::to_string(blank.micro_batches) +
           " micro-batches.";
  }
  if (schedule.training != blank.training || !schedule.slices.empty() ||
      schedule.weights != WeightPolicy::Synchronous) {
    return std::string("`training` is to be ") + (blank.training ? "yes" : "no") +
           ", and nothing is sliced or stashed.";
  }
  return "";
}

/// An action that the level's board does not have; nothing if there is none.
inline std::string kinds_fault(const BoardLevel& level, const Schedule& schedule) {
  const auto kinds = kinds_of(level.kinds);
  for (const Row& row : schedule.rows) {
    for (const auto& [action, with_next] : row) {
      const bool known =
          std::find(kinds.begin(), kinds.end(), action.kind) != kinds.end() ||
          action.kind == ActionKind::Update || action.kind == ActionKind::Reduce;
      if (!known || with_next) {
        return to_text(action, /*with_stage=*/true) +
               (known ? " is joined with the next action: place them one by one."
                      : " is no action of this level: they are of the kinds " +
                            std::string(level.kinds) + ".");
      }
    }
  }
  return "";
}

/// What cannot run as it stands, or holds too much; nothing if all is well. How much is
/// held says something only of rows that can run.
inline std::string order_fault(const BoardLevel& level, const Schedule& schedule) {
  VerifyOptions options;
  options.memory_limit = rules_of(level).memory_limit;
  const auto faults = verify(schedule, options);
  for (const Fault& fault : faults) {
    if (fault.kind != FaultKind::OverMemory) return fault.reason + ".";
  }
  return faults.empty() ? "" : faults.front().reason + ".";
}

/// A backward without its recompute, where the level has those.
inline std::string recompute_fault(const BoardLevel& level, const Schedule& schedule) {
  if (level.kinds != "FRB") return "";
  std::int32_t recomputes = 0;
  for (const Row& row : schedule.rows) {
    for (const Entry& entry : row)
      recomputes += entry.action.kind == ActionKind::Recompute ? 1 : 0;
  }
  const std::int32_t wanted = schedule.stages() * level.micro_batches;
  return recomputes == wanted
             ? ""
             : "each backward needs its R: " + std::to_string(recomputes) + " of " +
                   std::to_string(wanted) + " are there.";
}

/// Reads the answer to a level, and checks all but how long it takes.
inline ByHand read_by_hand(std::int32_t number, const std::string& text) {
  const BoardLevel& level = *find_level(number);
  const std::string function = "level_" + std::to_string(number) + "()";
  ByHand answer;
  if (text.empty()) {
    answer.fault = function +
                   " returns nothing. Build the level in build.html, and put " +
                   "in what it hands you.";
    return answer;
  }
  constexpr std::size_t kLongest = 100'000;
  auto parsed = text.size() > kLongest ? refuse("the text is far too long", "")
                                       : parse_schedule(text);
  if (!parsed) {
    answer.fault = parsed.error().what + ". " + parsed.error().remedy;
    return answer;
  }
  answer.schedule = *std::move(parsed);
  for (const auto& fault : {shape_fault, kinds_fault, order_fault, recompute_fault}) {
    answer.fault = fault(level, answer.schedule);
    if (!answer.fault.empty()) break;
  }
  return answer;
}

/// What is wrong with the answer, for a test that asks for no more than a schedule.
inline std::string board_fault(std::int32_t number, const std::string& text) {
  const BoardLevel& level = *find_level(number);
  const std::string fault = read_by_hand(number, text).fault;
  return fault.empty() ? "" : level_in_words(level) + fault + chapter_to_read(level);
}

/// Why the answer is not within `most` ticks; nothing if it is.
inline std::string length_fault(std::int32_t number, const std::string& text,
                                std::int32_t most) {
  const BoardLevel& level = *find_level(number);
  const ByHand answer = read_by_hand(number, text);
  if (!answer.fault.empty()) return level_in_words(level) + answer.fault;
  const auto timeline = simulate(answer.schedule, rules_of(level).costs);
  if (!timeline) return level_in_words(level) + timeline.error().what;
  const Metrics metrics = measure(answer.schedule, *timeline);
  const bool span = level.measure == BoardMeasure::LongestSpan;
  const double value = span ? metrics.longest_span : metrics.makespan;
  if (value <= most) return "";
  return level_in_words(level) +
         (span ? "the longest span of a device is " : "your step takes ") +
         figure(value) + " ticks, where " + std::to_string(most) + " are enough." +
         chapter_to_read(level);
}

/// The same for the level's goal.
inline std::string goal_fault(std::int32_t number, const std::string& text) {
  return length_fault(number, text, find_level(number)->goal);
}
/// The same for the level's proven optimum.
inline std::string optimum_fault(std::int32_t number, const std::string& text) {
  return length_fault(number, text, find_level(number)->optimum);
}

/// Fails the test with what is wrong, if anything is.
inline void expect_no(const std::string& fault) { ASSERT_TRUE(fault.empty()) << fault; }

}  // namespace pipeline
