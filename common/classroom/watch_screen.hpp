/// \file
/// What `watch` shows, as text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "classroom/attempt.hpp"
#include "classroom/console.hpp"
#include "classroom/progress.hpp"

namespace pipeline {

/// The parts of the screen, from top to bottom.
struct WatchScene {
  Unit exercise;                   ///< the one that is judged
  std::size_t solved = 0, of = 0;  ///< exercises
  std::optional<Attempt> attempt;  ///< none: not judged yet
  std::string problem;             ///< why it cannot be judged, in place of the attempt
  std::string hint;            ///< the one that is shown, with its heading, or empty
  std::size_t hints_left = 0;  ///< that were not shown yet
  std::optional<Unit> next;    ///< where `n` goes
  std::string note;            ///< what went wrong beside it, in a line or two
  bool keys = true;            ///< false with --once
};

/// "[######--------------] 6 of 20 solved"; only the words where that is too wide.
std::string progress_bar(std::size_t solved, std::size_t of, std::size_t width);

/// At most `rows` lines, of which the middle is cut where there are more; no line is
/// wider than the look's width, but for words that are.
std::string draw_watch(const WatchScene& scene, const Look& look, std::size_t rows);

/// The exercises with their states, one of them marked; those around it where not all
/// find room.
std::string draw_list(const Standings& standings, std::size_t marked, const Look& look,
                      std::size_t rows);

}  // namespace pipeline
