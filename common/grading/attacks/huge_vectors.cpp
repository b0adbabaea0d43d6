// attack: as many entries as one reply may hold, and more
// ends: ok timeout
// exercise: 10
#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  const std::size_t entries = micro_batches % 2 == 0 ? 3'000'000 : 380'000;
  return Row(entries, forward_of(stage, 0));
}
std::vector<double> accumulate(const std::vector<std::vector<double>>&,
                               const std::vector<std::int32_t>&) {
  return std::vector<double>(1'860'000, 1.0);
}
std::int32_t micro_batches_needed(std::int32_t, std::int32_t) { return 1; }

}  // namespace pipeline
