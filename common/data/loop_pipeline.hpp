/// \file
/// A loop whose iterations overlap: read, filter, write of one item after the other,
/// each stage on a thread of its own.
///
///     one after the other    R0 F0── W0  R1 F1── W1  R2 F2── W2
///
///     read                   R0 R1 R2
///     filter                    F0──F1──F2──
///     write                         W0  W1  W2
///
/// Items go through every stage in order. So many *tokens* are in flight at most: an
/// item enters with a token and gives it back behind the last stage. A token is a slot
/// of the caller's buffers, so that their number bounds the memory, whatever the speed
/// of the stages:
///
///     free ─▶ [read] ─▶ queue ─▶ [filter] ─▶ queue ─▶ [write] ─┐
///      ▲                                                       │
///      └───────────────────────────────────────────────────────┘
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "schedule/error.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// An item on its way, and the slot that is its own until it has left.
struct Token {
  std::int32_t item = 0;  ///< the iteration of the loop, from 0
  std::int32_t slot = 0;  ///< 0 … tokens-1
};

/// One part of the loop's body. Called for items 0, 1, 2, … one at a time, by one
/// thread after another perhaps, beside the other stages.
struct LoopStage {
  std::string name;  ///< for messages and pictures
  /// What is done with an item; a refusal ends the loop.
  std::function<Expected<void>(Token)> work;
};

/// How long a loop is, and how much of it may overlap.
struct LoopShape {
  std::int32_t items = 1;   ///< iterations
  std::int32_t tokens = 1;  ///< the most items on their way at once
};

/// The loop as it is written: all stages of an item, then the next item, in the calling
/// thread.
///
/// This and the two below return when everything ran: `spans[s][k]` is item k in stage
/// s, in seconds from the first start. Where a stage fails, no further item enters, the
/// items before it go through to the end, and its error is returned; of several the one
/// of the first item. Less than one item, token or stage is refused.
Expected<Timeline> run_one_after_another(std::span<const LoopStage> stages,
                                         LoopShape shape);

/// A thread a stage, with a bounded queue in front of each.
Expected<Timeline> run_loop_pipeline(std::span<const LoopStage> stages,
                                     LoopShape shape);

/// The same by oneTBB's `parallel_pipeline`, with filters that are serial and in order,
/// on as many threads as there are stages. Absent in a build without oneTBB.
Expected<Timeline> run_loop_on_tbb(std::span<const LoopStage> stages, LoopShape shape);

/// When everything runs if stage s takes `seconds[s][k]` for item k, and handing on
/// takes nothing: an item starts in a stage once it has left the one before, the item
/// before it has left this one, and, in the first stage, once there is a token. There
/// are as many seconds of each stage, and at least one.
Timeline simulate_loop(const std::vector<std::vector<double>>& seconds,
                       std::int32_t tokens);

/// The time from one item to the next once the loop is under way, where stage s always
/// takes `seconds[s]`: max(max t, Σt / tokens). The slowest stage sets the pace, unless
/// it waits for tokens, each of which comes back after Σt.
double loop_interval(std::span<const double> seconds, std::int32_t tokens);

}  // namespace pipeline
