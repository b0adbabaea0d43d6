/// \file
/// A schedule that is being built by hand: actions are put on devices one after
/// another, and each runs as soon as what it needs is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/pending.hpp"
#include "schedule/progress.hpp"
#include "schedule/schedule.hpp"
#include "timeline/memory_curve.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// What a board is about.
struct BoardRules {
  /// The pipeline, one step of it, with an empty row for each device.
  Schedule blank;
  /// What each stage does with each micro-batch, once: {F}; {F, B}; {F, I, W}; or
  /// {F, R, B}, where an activation is always forgotten and made again.
  std::vector<ActionKind> kinds;
  Costs costs;  ///< links take a latency, and no time for size
  /// Most activations that a device may hold, counted like `Memory::peak`: one for all
  /// devices, or one for each; empty: no limit.
  std::vector<double> memory_limit;
};

/// An action is put at the end of a device's row.
struct Move {
  std::int32_t device = 0;  ///< at the end of whose row
  Action action;            ///< what it is to do there

  bool operator==(const Move&) const = default;
};

/// A move that can be made.
struct ReadyMove {
  Move move;  ///< which one
  Span span;  ///< when it would run
};

/// The largest board.
inline constexpr std::int32_t kMostBoardDevices = 8;
/// Of the largest board.
inline constexpr std::int32_t kMostBoardMicroBatches = 32;
/// Stages on a device of the largest board.
inline constexpr std::int32_t kMostBoardChunks = 4;

/// A schedule that is built by hand, move by move: what lies there, when it runs, and
/// what may come next.
class Board {
 public:
  /// The rules must be sound: a placement for each stage, at least one micro-batch.
  explicit Board(BoardRules rules);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// As the board was made with.
  const BoardRules& rules() const { return rules_; }
  /// The rows so far, without updates.
  const Schedule& placed() const { return placed_; }
  /// When all that was placed runs: like `simulate`, which wants whole schedules.
  const Timeline& timeline() const { return timeline_; }
  /// All that were made, in order.
  const std::vector<Move>& moves() const { return moves_; }
  /// How many actions are still to be placed.
  std::size_t left() const { return left_; }

  /// Why the move cannot be made, in a sentence with the values; empty if it can.
  std::string refusal(const Move& move);
  /// Whether there is no refusal.
  bool is_ready(const Move& move);
  /// Makes a move that is ready.
  void place(const Move& move);

  /// All moves that can be made, by device, then by stage, micro-batch and kind.
  std::vector<ReadyMove> ready();
  /// Of those alike but for their micro-batch only the lowest one that is still to
  /// come. Empty where that one is not ready.
  std::vector<ReadyMove> ready_in_order();

  // What is known of an action that is still to be placed, or was.
  /// Whether it is still to be placed.
  bool is_pending(const Action& action) const { return pending_.contains(action); }
  /// When the action would run if it were placed now.
  Span span_of(const Move& move) const;
  /// When the input of the action comes to its device; 0 for what needs none from a
  /// neighbour. Of inputs that are not placed yet: nothing.
  std::optional<double> arrival(const Action& action) const;
  /// How long the action takes.
  double cost(const Action& action) const;
  /// When the last action of the device's row ends.
  double free_at(std::int32_t device) const {
    return free_at_[static_cast<std::size_t>(device)];
  }
  /// Activations that the device holds now, counted like `Memory::peak`.
  double held(std::int32_t device) const;
  /// Of the rules; nothing where there is none.
  std::optional<double> limit(std::int32_t device) const;
  /// Whether one more activation would be over the limit.
  bool is_full(std::int32_t device) const;
  /// Of each device so far, like `Memory::peak`.
  const std::vector<double>& peak() const { return peak_; }
  /// Of each device so far, from moment to moment. A forward keeps nothing where a
  /// recompute is still to come.
  std::vector<std::vector<MemoryStep>> held_over_time() const;

  /// All stages of a device, of both copies of the weights, in order.
  const std::vector<std::int32_t>& stages_on(std::int32_t device) const {
    return stages_on_[static_cast<std::size_t>(device)];
  }

 private:
  std::optional<std::string> misfit(const Move& move) const;
  std::string missing_in_words(const Action& action, Action on);
  std::string over_memory_in_words(const Move& move);
  bool fits_in_memory(const Move& move) const;
  /// What an activation of one stage counts on the device.
  double share_of_one(std::int32_t device) const;
  double& end_of(const Action& action);
  std::int32_t micro_batches() const { return placed_.micro_batches; }

  BoardRules rules_;
  Schedule placed_;
  PendingTable pending_;
  std::optional<Progress> progress_;
  Timeline timeline_;
  std::vector<Move> moves_;
  std::size_t left_ = 0;
  std::vector<std::vector<std::int32_t>> stages_on_;
  std::vector<double> free_at_;     ///< by device
  std::vector<double> end_;         ///< of forwards, then of gradients, by cell
  std::vector<std::int32_t> held_;  ///< by device, in activations of one stage
  std::vector<std::int32_t> visited_;
  std::vector<double> peak_;
};

/// "F3 of device 0's only stage" is `0F3`; where some device holds several stages,
/// stage 2's on device 0 is `02F3`: the device, and the action as `to_text` writes it.
std::string to_text(const Move& move, const Schedule& schedule);

/// The inverse; refuses what is no move on a board with this placement.
Expected<Move> parse_move(std::string_view text, const Schedule& schedule);

/// The whole schedule, with the updates that end the step; of a board with nothing left
/// to place it is valid.
Schedule finished(const Board& board);

}  // namespace pipeline
