// mistake: half a micro-batch more is taken for none
// fails: HeldToHide.KeepsEveryStageBusy
// says: messages of 1 s, and stages that hold 2, 1: a micro-batch leaves every 7 s
// points: 12
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

std::int32_t held_to_hide(std::int32_t stage, std::int32_t devices, double stage_time,
                          double message) {
  const std::int32_t links = devices - 1 - stage;
  const auto more = static_cast<std::int32_t>(std::floor(2 * message / stage_time));
  return devices - stage + links * more;
}

}  // namespace pipeline
