#include "lab/coach.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "lab/board_rows.hpp"
#include "schedule/numbers.hpp"
#include "schedule/words.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

/// With more than so much to place, one way to the end is enough to wait for.
constexpr std::size_t kLargeBoard = 768;

std::string ticks(double time) { return TimeUnit{}.with_name(time); }

std::string on(const Move& move) {
  return in_words(move.action) + " on device " + number(move.device, 0);
}

// --- Ways to the end

struct Way {
  ReadyMove next;
  double value = 0;
};

/// Of moves that can start equally early, the kind that goes first; what is not named
/// goes last, in the order of the kinds.
using Preference = std::array<ActionKind, 3>;

constexpr std::array<Preference, 3> kPreferences{{
    {ActionKind::Backward, ActionKind::InputGradient, ActionKind::Forward},
    {ActionKind::Forward, ActionKind::Recompute, ActionKind::InputGradient},
    {ActionKind::Backward, ActionKind::WeightGradient, ActionKind::InputGradient},
}};

std::size_t rank(const Preference& preference, ActionKind kind) {
  return static_cast<std::size_t>(
      std::find(preference.begin(), preference.end(), kind) - preference.begin());
}

bool comes_first(const ReadyMove& a, const ReadyMove& b, const Preference& preference) {
  if (a.span.start != b.span.start) return a.span.start < b.span.start;
  const std::size_t of_a = rank(preference, a.move.action.kind);
  const std::size_t of_b = rank(preference, b.move.action.kind);
  if (of_a != of_b) return of_a < of_b;
  const auto key = [](const Action& action) {
    return std::pair(action.micro_batch, -action.stage);
  };
  return key(a.move.action) < key(b.move.action);
}

void go_greedily(Board& board, const Preference& preference) {
  while (board.left() > 0) {
    std::vector<ReadyMove> ready = board.ready_in_order();
    if (ready.empty()) ready = board.ready();
    if (ready.empty()) return;
    board.place(std::min_element(ready.begin(), ready.end(),
                                 [&](const ReadyMove& a, const ReadyMove& b) {
                                   return comes_first(a, b, preference);
                                 })
                    ->move);
  }
}

/// Goes on from a copy of the board, and keeps what comes of it if it is better.
template <typename GoOn>
void try_way(const Board& board, BoardMeasure measure, const GoOn& go_on,
             std::optional<Way>& best) {
  Board copy(board.rules());
  for (const Move& move : board.moves()) copy.place(move);
  go_on(copy);
  if (copy.left() > 0) return;
  const double value = measured(copy, measure);
  if (best && best->value <= value) return;
  const Move next = copy.moves()[board.moves().size()];
  best = Way{{next, board.span_of(next)}, value};
}

std::optional<Way> best_way(const Board& board, const CoachedGoal& goal) {
  std::optional<Way> best;
  if (goal.solution && begins(board, *goal.solution)) {
    try_way(
        board, goal.measure, [&](Board& copy) { follow(copy, *goal.solution); }, best);
  }
  for (const Preference& preference : kPreferences) {
    if (best && board.left() > kLargeBoard) break;
    try_way(
        board, goal.measure, [&](Board& copy) { go_greedily(copy, preference); }, best);
  }
  return best;
}

// --- Sentences

std::string why(const Board& board, const ReadyMove& next) {
  const Action& action = next.move.action;
  const std::int32_t last = board.placed().stages() - 1;
  switch (action.kind) {
    case ActionKind::Forward:
      if (action.stage == last) {
        return board.rules().blank.training
                   ? "the last stage has it, and its gradient can start the way back"
                   : "it leaves the pipeline";
      }
      return "stage " + number(action.stage + 1, 0) + " waits for its activation";
    case ActionKind::Backward:
      return action.stage == 0
                 ? "it frees an activation"
                 : "it frees an activation, and stage " + number(action.stage - 1, 0) +
                       " waits for its gradient";
    case ActionKind::InputGradient:
      return action.stage == 0 ? "its W, which frees the activation, needs it"
                               : "stage " + number(action.stage - 1, 0) +
                                     " waits for this gradient, and its W can wait";
    case ActionKind::WeightGradient:
      return "nobody waits for it, so that it fills a bubble, and it frees an "
             "activation";
    default:
      return "it needs no gradient, so that it fills the wait for one";
  }
}

/// The longest gap of a row between two of its actions, said where there is one.
std::string longest_gap(const Board& board) {
  double most = 0;
  std::string words;
  for (std::size_t d = 0; d < board.timeline().spans.size(); ++d) {
    const auto& spans = board.timeline().spans[d];
    for (std::size_t i = 1; i < spans.size(); ++i) {
      const double gap = spans[i].start - spans[i - 1].end;
      if (gap <= most) continue;
      most = gap;
      words = "Device " + number(static_cast<double>(d), 0) + " waits longest, " +
              ticks(gap) + ", before " + in_words(board.placed().rows[d][i].action) +
              ".";
    }
  }
  return words;
}

std::string of_the_whole(const Board& board, const CoachedGoal& goal) {
  const double value = measured(board, goal.measure);
  const bool span = goal.measure == BoardMeasure::LongestSpan;
  std::string words = span ? "The longest span of a device is " + ticks(value)
                           : "The step takes " + ticks(value);
  const BoardRules& rules = board.rules();
  const double least =
      goal.optimum.value_or(least_possible(Board(rules), goal.measure));
  if (no_longer_than(value, least))
    return words + ": proven to be the least that is possible.";
  words += goal.optimum ? "; " + ticks(least) + " would do. "
                        : "; none can take fewer than " + ticks(least) + ". ";
  const std::string gap = longest_gap(board);
  return words + (gap.empty() ? "Let the devices start earlier." : gap);
}

/// A device that can run no forward until it has freed an activation.
std::string full_device(Board& board) {
  if (!board.rules().blank.training) return "";
  for (std::int32_t d = 0; d < board.placed().devices(); ++d) {
    if (!board.is_full(d)) continue;
    return "Device " + number(d, 0) + " is full, with " + short_number(board.held(d)) +
           " of " + number(board.limit(d).value_or(0), 9) +
           ": it goes on with what frees an activation, "
           "or leads there. ";
  }
  return "";
}

}  // namespace

Advice advise(Board& board, const CoachedGoal& goal) {
  if (board.left() == 0) return {of_the_whole(board, goal)};
  if (board.ready_in_order().empty() && board.ready().empty()) {
    return {
        "Nothing can go on: what is left waits for room in memory that nothing "
        "frees. Undo some forwards."};
  }
  const auto way = best_way(board, goal);
  std::string text;
  const double least = least_possible(board, goal.measure);
  const bool too_late = goal.optimum && !no_longer_than(least, *goal.optimum);
  if (too_late) {
    text = "Whatever you do now, it comes to at least " + ticks(least) + ", where " +
           ticks(*goal.optimum) + " were possible: undo, or go on. ";
  } else {
    text = full_device(board);
  }
  if (!way) return {text + "No way to the end is known from here: try undo."};
  const double start = way->next.span.start;
  text += "Next: " + on(way->next.move) + (start > 0 ? ", after " + ticks(start) : "") +
          ": " + why(board, way->next) + ".";
  const double from_the_start =
      goal.optimum.value_or(least_possible(Board(board.rules()), goal.measure));
  if (no_longer_than(way->value, from_the_start)) {
    text += " From here " + ticks(way->value) +
            ", the least that is possible, can still be reached.";
  } else if (!too_late && no_longer_than(way->value, least)) {
    text += " From here " + ticks(way->value) +
            ", the least that is still possible, can be reached.";
  }
  return {text, way->next};
}

}  // namespace pipeline
