/// \file
/// For the tests of boards: whole rows played move by move, and boards that are free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "lab/board.hpp"
#include "lab/board_rows.hpp"
#include "lab/levels.hpp"

namespace pipeline {

/// A stage on each device, unit costs, no limit.
inline BoardRules line_board(std::int32_t devices, std::int32_t micro_batches,
                             std::string_view kinds) {
  BoardRules rules;
  rules.blank.name = "board";
  rules.blank.placement = one_stage_per_device(devices);
  rules.blank.micro_batches = micro_batches;
  rules.blank.training = kinds != "F";
  rules.blank.rows.resize(static_cast<std::size_t>(devices));
  rules.kinds = kinds_of(kinds);
  return rules;
}

/// Makes the moves of "0F0.1F0"; where one is refused, why.
inline std::string play(Board& board, std::string_view moves) {
  while (!moves.empty()) {
    const std::string_view text = moves.substr(0, moves.find('.'));
    moves.remove_prefix(std::min(moves.size(), text.size() + 1));
    const auto move = parse_move(text, board.placed());
    if (!move) return move.error().what;
    std::string why = board.refusal(*move);
    if (!why.empty()) return why;
    board.place(*move);
  }
  return "";
}

}  // namespace pipeline
