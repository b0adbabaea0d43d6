#include "lab/board_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "schedule/generate.hpp"
#include "schedule/recompute.hpp"

namespace pipeline {

void erase_updates(Schedule& schedule) {
  for (Row& row : schedule.rows) {
    std::erase_if(row, [](const Entry& entry) {
      return entry.action.kind == ActionKind::Update ||
             entry.action.kind == ActionKind::Reduce;
    });
  }
}

std::optional<Schedule> generated(std::string_view name, const BoardRules& rules) {
  const auto all = generators();
  const auto generator =
      std::find_if(all.begin(), all.end(),
                   [&](const Generator& known) { return known.name == name; });
  if (generator == all.end()) return {};
  const Schedule& blank = rules.blank;
  Request request;
  request.shape = {.devices = blank.devices(), .micro_batches = blank.micro_batches};
  const std::int32_t chunks = blank.stages() / blank.devices();
  if (generator->reads.chunks && chunks > 1) request.chunks = chunks;
  auto schedule = generator->generate(request);
  if (!schedule || schedule->placement != blank.placement ||
      schedule->training != blank.training || schedule->weights != blank.weights ||
      schedule->steps != blank.steps || schedule->slices != blank.slices) {
    return {};
  }
  if (std::find(rules.kinds.begin(), rules.kinds.end(), ActionKind::Recompute) !=
      rules.kinds.end()) {
    schedule = with_recompute(*schedule);
    if (!schedule) return {};
  }
  for (const Row& row : schedule->rows) {
    for (const Entry& entry : row) {
      if (entry.with_next) return {};
    }
  }
  erase_updates(*schedule);
  return *std::move(schedule);
}

bool begins(const Board& board, const Schedule& schedule) {
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    const Row& placed = board.placed().rows[d];
    const Row& row = schedule.rows[d];
    if (placed.size() > row.size() ||
        !std::equal(placed.begin(), placed.end(), row.begin())) {
      return false;
    }
  }
  return true;
}

void follow(Board& board, const Schedule& schedule) {
  while (board.left() > 0) {
    std::optional<Move> first;
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      const std::size_t next = board.placed().rows[d].size();
      if (next >= schedule.rows[d].size()) continue;
      const Move move{static_cast<std::int32_t>(d), schedule.rows[d][next].action};
      if (!board.is_ready(move)) continue;
      if (!first || board.span_of(move).start < board.span_of(*first).start)
        first = move;
    }
    if (!first) return;
    board.place(*first);
  }
}

}  // namespace pipeline
