// attack: rows of kinds of actions that do not exist
// ends: ok
// exercise: 10
#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  return Row(static_cast<std::size_t>(2 * micro_batches),
             {{static_cast<ActionKind>(255), 0, stage, 0}, false});
}
std::vector<double> accumulate(const std::vector<std::vector<double>>&,
                               const std::vector<std::int32_t>&) {
  return {1, 2, 3};
}
std::int32_t micro_batches_needed(std::int32_t, std::int32_t) { return 0; }

}  // namespace pipeline
