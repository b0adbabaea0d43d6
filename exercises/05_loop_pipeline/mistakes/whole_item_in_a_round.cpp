// mistake: a round does all stages of one item
// fails: RoundsOf.UseNothingOfTheirOwnRound
// says: and that was not done in an earlier round
// points: 16
#include "exercise.hpp"

namespace pipeline {

std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items) {
  std::vector<std::vector<Piece>> rounds;
  for (std::int32_t item = 0; item < items; ++item) {
    rounds.emplace_back();
    for (std::int32_t s = 0; s < stages; ++s) rounds.back().push_back({s, item});
  }
  return rounds;
}

}  // namespace pipeline
