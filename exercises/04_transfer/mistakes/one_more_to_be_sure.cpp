// mistake: one more for each link, even where it comes out even
// fails: HeldToHide.HoldsNoMoreThanItMust
// says: could hold one less
// points: 13
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

std::int32_t held_to_hide(std::int32_t stage, std::int32_t devices, double stage_time,
                          double message) {
  const std::int32_t links = devices - 1 - stage;
  const auto whole = static_cast<std::int32_t>(std::floor(2 * message / stage_time));
  return devices - stage + links * (whole + 1);
}

}  // namespace pipeline
