// mistake: one piece a round, nothing at once
// fails: RoundsOf.AreAsFewAsCanBe
// says: an item enters in every round
// points: 17
#include "exercise.hpp"

namespace pipeline {

std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items) {
  std::vector<std::vector<Piece>> rounds;
  for (std::int32_t item = 0; item < items; ++item) {
    for (std::int32_t s = 0; s < stages; ++s) rounds.push_back({{s, item}});
  }
  return rounds;
}

}  // namespace pipeline
