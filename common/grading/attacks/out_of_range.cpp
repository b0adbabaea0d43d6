// attack: rows whose stages and micro-batches index nothing that exists
// ends: ok
// exercise: 10
#include <limits>

#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back({{ActionKind::Forward, INT16_MIN, INT32_MAX, INT32_MIN}, true});
    row.push_back({{ActionKind::Reduce, INT16_MAX, INT32_MIN, INT32_MAX}, true});
    row.push_back({{ActionKind::Update, -1, -stage - 1, -k - 1}, true});
  }
  return row;
}
std::vector<double> accumulate(const std::vector<std::vector<double>>&,
                               const std::vector<std::int32_t>&) {
  return {};
}
std::int32_t micro_batches_needed(std::int32_t, std::int32_t) { return INT32_MAX; }

}  // namespace pipeline
