/// \file
/// Which known schedule somebody has built by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/board.hpp"

namespace pipeline {

/// A generator's name as people write it, "1F1B" for 1f1b; of one whose schedules no
/// board can hold, the name itself.
std::string_view title_of(std::string_view generator);

/// What is known of a board that is full.
struct Recognition {
  /// "1F1B": every device does the same kinds of actions, on the same stages, in the
  /// same order, and the step takes as long. Which micro-batch an action is for does
  /// not matter then: the order in which weight gradients are made up, for example, or
  /// that the backwards of GPipe run from the last micro-batch to the first. Empty
  /// where no generator with a title makes such rows.
  std::string name;
  /// Those of other rows, or times, that take as long and hold as much on each device.
  std::vector<std::string> alike;
};

/// Of a board with nothing left to place; of others nothing is recognised. Where
/// several generators make the same rows, the first of `generators()`.
Recognition recognise(const Board& board);

}  // namespace pipeline
