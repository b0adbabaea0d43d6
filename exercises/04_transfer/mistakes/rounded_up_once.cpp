// mistake: rounds up once for all links, and not for each
// fails: HeldToHide.KeepsEveryStageBusy
// says: messages of 1 s, and stages that hold 4, 3, 1: a micro-batch leaves every 7 s
// points: 12
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

std::int32_t held_to_hide(std::int32_t stage, std::int32_t devices, double stage_time,
                          double message) {
  const std::int32_t links = devices - 1 - stage;
  return devices - stage +
         static_cast<std::int32_t>(std::ceil(2 * message * links / stage_time));
}

}  // namespace pipeline
