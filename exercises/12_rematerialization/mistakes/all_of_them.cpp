// mistake: re-computes all micro-batches whatever the limit
// fails: Choose.RecomputesAsFewAsWillDo
// says: with 0 re-computations, and you make 1. Keep those first
// points: 13
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<bool> choose(const Row& /*row*/, std::int32_t /*stage*/,
                         std::int32_t micro_batches, double /*limit*/,
                         double /*input_share*/) {
  return std::vector<bool>(static_cast<std::size_t>(micro_batches), true);
}

}  // namespace pipeline
