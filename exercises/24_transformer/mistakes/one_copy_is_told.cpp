// mistake: only the first stage gets the sum, and the copies part
// fails: Joined.GivesBothCopiesTheSumAndLeavesTheRest
// says: its copies get different gradients
// points: 20
#include "exercise.hpp"

namespace pipeline {

TiedGradients joined(const TiedGradients& apart, std::size_t count) {
  TiedGradients both = apart;
  for (std::size_t i = 0; i < count; ++i) both.embedding[i] += apart.logits[i];
  return both;
}

}  // namespace pipeline
