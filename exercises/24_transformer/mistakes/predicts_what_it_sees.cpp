// mistake: asks each position for the token that it is shown
// fails: NextTokenLoss.AsksEachPositionForTheTokenAfterIt
// says: the loss of the token that it is shown
// points: 19
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

double next_token_loss(const std::vector<double>& logits, std::int32_t vocabulary,
                       const std::vector<std::int32_t>& tokens) {
  const auto width = static_cast<std::size_t>(vocabulary);
  const std::size_t positions = logits.size() / width;
  double sum = 0;
  for (std::size_t i = 0; i < positions; ++i) {
    double exponentials = 0;
    for (std::size_t c = 0; c < width; ++c) {
      exponentials += std::exp(logits[i * width + c]);
    }
    sum += std::log(exponentials) -
           logits[i * width + static_cast<std::size_t>(tokens[i])];
  }
  return sum / static_cast<double>(positions);
}

}  // namespace pipeline
