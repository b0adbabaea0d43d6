/// \file
/// What a coach says of a board: one or two sentences, and never a wrong one.
#pragma once

#include <optional>
#include <string>

#include "lab/board.hpp"
#include "lab/board_bound.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What the coach leads to.
struct CoachedGoal {
  BoardMeasure measure = BoardMeasure::Makespan;  ///< what is to be short
  std::optional<double> optimum = {};             ///< where it is proven
  std::optional<Schedule> solution = {};          ///< rows that attain it
};

/// What the coach says now.
struct Advice {
  std::string text;  ///< one or two sentences
  /// The move that it names; none where nothing is left, or nothing can go on.
  std::optional<ReadyMove> next = {};
};

/// The move is the first on the best way to the end that is known: along the solution,
/// as long as the rows are how that begins; else of some greedy ways. That the optimum
/// is out of reach is said only where `least_possible` proves it, and that it can be
/// reached only where a way has been found; "still possible" is what nothing from here
/// can beat, though something from the start could.
Advice advise(Board& board, const CoachedGoal& goal);

}  // namespace pipeline
