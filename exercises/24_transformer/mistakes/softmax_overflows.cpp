// mistake: exponentials of large logits are infinite
// fails: NextTokenLoss.IsANumberForLargeLogitsToo
// says: take the largest logit of a row from all of them
// points: 21
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
           logits[i * width + static_cast<std::size_t>(tokens[i + 1])];
  }
  return sum / static_cast<double>(positions);
}

}  // namespace pipeline
