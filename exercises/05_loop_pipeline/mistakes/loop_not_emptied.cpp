// mistake: stops when the last item has entered, with items still inside
// fails: RoundsOf.DoEachPieceOnce
// says: every item must go through every stage, the last one too
// points: 16
#include "exercise.hpp"

namespace pipeline {

std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items) {
  std::vector<std::vector<Piece>> rounds;
  for (std::int32_t r = 0; r < items; ++r) {
    rounds.emplace_back();
    for (std::int32_t s = stages - 1; s >= 0; --s) {
      if (r - s >= 0) rounds.back().push_back({s, r - s});
    }
  }
  return rounds;
}

}  // namespace pipeline
