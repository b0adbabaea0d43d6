/// \file
/// The answers of the lab about boards: `op=levels` and `op=board`.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lab/json.hpp"
#include "lab/query.hpp"

namespace pipeline {

/// The keys of `op=board`. Of a level: `level`, which says all about the board. Of a
/// free board: `p` (1 to 8, 3), `m` (1 to 32, 4), `v` (1 to 4 stages a device, 1),
/// `placement` (`loop`; `v` has two stages a device), `kinds` (`FB`, `F`, `FIW` or
/// `FRB`), `F`, `I`, `W`, `R`, `c` and `limit`, as of a schedule. Of both: `moves`
/// (`0F0.1F0`, in the order in which they are made), and `width` and `id` of the
/// figure.
inline constexpr std::array<std::string_view, 15> kBoardKeys{
    "level", "moves", "width", "id", "p", "m", "v",    "placement",
    "kinds", "F",     "I",     "W",  "R", "c", "limit"};

/// The board after the moves: its figure, what is ready and what may be tried, what it
/// is worth, what the coach says, and the text of what is placed. At the first move
/// that is refused it stops, and says why. Of a level that has been solved `answer` is
/// the exercise.cpp to hand in.
LabExpected<std::string> board_answer(const Query& query);

/// All levels, with their tasks, hints, goals and the exercises they belong to.
LabExpected<std::string> levels_answer(const Query& query);

}  // namespace pipeline
