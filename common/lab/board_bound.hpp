/// \file
/// How short the step can still become, proven: what no way of going on from a board
/// can beat.
#pragma once

#include <cstdint>

#include "lab/board.hpp"

namespace pipeline {

/// What is to be as short as possible.
enum class BoardMeasure : std::uint8_t {
  Makespan,     ///< from the first start to the last end
  LongestSpan,  ///< the most that a device takes from its first start to its last end:
                ///< what a step costs when many follow each other
};

/// Of what is placed so far.
double measured(const Board& board, BoardMeasure measure);

/// Whether a length is at most a bound, but for the rounding of sums.
bool no_longer_than(double value, double bound);

/// No whole schedule that begins with what is placed is shorter. For each device by
/// itself: each action that it still has to run cannot start before its inputs can be
/// there, takes its time, and is followed by what needs its result on other devices
/// (heads and tails). Of all orders with interruptions the one that always runs what
/// has the longest tail ends first (Jackson's preemptive schedule; Carlier 1982, "The
/// one-machine sequencing problem"), and no order without them is shorter. Memory is
/// not looked at.
double least_possible(const Board& board, BoardMeasure measure);

}  // namespace pipeline
