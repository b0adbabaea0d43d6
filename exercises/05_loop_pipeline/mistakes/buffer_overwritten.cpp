// mistake: within a round the first stage goes first
// fails: RoundsOf.EmptyABufferBeforeTheyFillItAgain
// says: overwrites item
// points: 16
#include "exercise.hpp"

namespace pipeline {

std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items) {
  std::vector<std::vector<Piece>> rounds;
  for (std::int32_t r = 0; r < items + stages - 1; ++r) {
    rounds.emplace_back();
    for (std::int32_t s = 0; s < stages; ++s) {
      if (r - s >= 0 && r - s < items) rounds.back().push_back({s, r - s});
    }
  }
  return rounds;
}

}  // namespace pipeline
