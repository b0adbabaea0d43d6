// mistake: the mean of both gradients instead of their sum
// fails: Joined.GivesBothCopiesTheSumAndLeavesTheRest
// says: its gradient is the sum of both
// points: 20
#include "exercise.hpp"

namespace pipeline {

TiedGradients joined(const TiedGradients& apart, std::size_t count) {
  TiedGradients both = apart;
  for (std::size_t i = 0; i < count; ++i) {
    both.embedding[i] = both.logits[i] = (apart.embedding[i] + apart.logits[i]) / 2;
  }
  return both;
}

}  // namespace pipeline
