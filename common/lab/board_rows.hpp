/// \file
/// Whole schedules on a board: those of the generators, and how to follow one.
#pragma once

#include <optional>
#include <string_view>

#include "lab/board.hpp"

namespace pipeline {

/// What the generator `name` makes for the pipeline of `rules`, without the updates
/// that no board has; with a `Recompute` before each backward where the board has
/// those. Nothing where it does not run on such a pipeline, joins actions, cuts
/// micro-batches into slices, or keeps several versions of the weights.
std::optional<Schedule> generated(std::string_view name, const BoardRules& rules);

/// Makes the moves that come next in each row of `schedule`, earliest start first, as
/// far as the rules allow. What is placed must be how those rows begin.
void follow(Board& board, const Schedule& schedule);

/// Whether each row of the board is how that of `schedule` begins.
bool begins(const Board& board, const Schedule& schedule);

/// The rows of a schedule without what ends a step.
void erase_updates(Schedule& schedule);

}  // namespace pipeline
