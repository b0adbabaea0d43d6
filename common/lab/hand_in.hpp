/// \file
/// A level that has been solved by hand, as the answer to its chapter's exercise.
#pragma once

#include <string>

#include "lab/board.hpp"
#include "lab/levels.hpp"

namespace pipeline {

/// The folder of the exercise: "10h_by_hand". It asks for all levels of the chapter.
std::string exercise_of(const BoardLevel& level);

/// The whole exercise.cpp, which says in its first lines which exercise it is, so that
/// grading knows it from others: `level_6()` returns what is on the board, in the text
/// form. Other levels of the chapter return nothing yet.
std::string hand_in(const BoardLevel& level, const Board& board);

}  // namespace pipeline
