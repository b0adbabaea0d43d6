/// \file
/// The levels of "build it yourself": boards with a task, from two devices to zero
/// bubble and V schedules. Each belongs to a chapter.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/board.hpp"
#include "lab/board_bound.hpp"

namespace pipeline {

/// How the stages of a level lie on its devices.
enum class LevelPlacement : std::uint8_t {
  Line,    ///< stage s on device s
  Loop,    ///< two stages a device, `loop_placement`
  V,       ///< two stages a device, `v_placement`
  TwoWay,  ///< two copies of the weights, `two_way_placement`
};

/// A list of limits, as long as a level needs and known when the program is compiled.
class LevelLimit {
 public:
  /// No limit.
  constexpr LevelLimit() = default;
  /// At most `kMostBoardDevices` of them.
  constexpr LevelLimit(std::initializer_list<double> values) : size_(values.size()) {
    std::copy(values.begin(), values.end(), values_.begin());
  }
  /// The first.
  constexpr const double* begin() const { return values_.data(); }
  /// Behind the last.
  constexpr const double* end() const { return values_.data() + size_; }
  /// How many there are.
  constexpr std::size_t size() const { return size_; }

 private:
  std::array<double, kMostBoardDevices> values_ = {};
  std::size_t size_ = 0;
};

/// A board with a task.
struct BoardLevel {
  std::int32_t number = 0;                ///< from 1
  std::string_view chapter;               ///< "08"
  std::string_view title;                 ///< a few words
  std::string_view task;                  ///< a few sentences
  std::array<std::string_view, 3> hints;  ///< from the vaguest to the answer

  LevelPlacement placement = LevelPlacement::Line;       ///< of its stages
  std::int32_t devices = 1;                              ///< p
  std::int32_t micro_batches = 1;                        ///< m
  std::string_view kinds;                                ///< "F", "FB", "FIW", "FRB"
  std::array<std::int8_t, 3> stage_forward = {1, 1, 1};  ///< of the first three stages
  std::int8_t latency = 0;                               ///< of each message
  LevelLimit limit = {};  ///< most activations; none, one for all devices, or one each
  BoardMeasure measure = BoardMeasure::Makespan;  ///< what is to be short

  std::string_view reference;        ///< the generator that it is held against
  std::int32_t reference_value = 0;  ///< by the same measure
  std::int32_t goal = 0;             ///< two stars
  std::int32_t optimum = 0;          ///< three stars; proven by levels_test.cpp
  /// A schedule that attains the optimum: rows as in the text form, a line each; empty
  /// where the reference does.
  std::string_view solution = {};

  /// Stages on a device.
  std::int32_t chunks() const {
    return placement == LevelPlacement::Loop || placement == LevelPlacement::V ? 2 : 1;
  }
};

/// In the order in which they are played; numbers count from 1.
std::span<const BoardLevel> levels();

/// Null where there is no such level.
const BoardLevel* find_level(std::int32_t number);

/// "FIW" as kinds; letters that are none are skipped.
std::vector<ActionKind> kinds_of(std::string_view letters);

/// The board that the level is played on.
BoardRules rules_of(const BoardLevel& level);

/// The level's reference, as its generator makes it; without updates.
Schedule reference_of(const BoardLevel& level);

/// A schedule that attains the optimum, without updates.
Schedule solution_of(const BoardLevel& level);

/// What a board is worth.
///
///     ☆☆☆  something is still to be placed
///     ★☆☆  all is placed, within the memory limit
///     ★★☆  and no longer than the goal: the level is solved
///     ★★★  and no longer than the proven optimum
std::int32_t stars_of(const BoardLevel& level, const Board& board);

}  // namespace pipeline
