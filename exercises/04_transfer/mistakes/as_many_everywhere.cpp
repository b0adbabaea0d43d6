// mistake: all stages hold as many as the first one, and gradients come back late
// fails: HeldToHide.KeepsEveryStageBusy
// says: stages that hold 2, 2: a micro-batch leaves every 12 s
// points: 12
#include <cmath>

#include "exercise.hpp"

namespace pipeline {

std::int32_t held_to_hide(std::int32_t /*stage*/, std::int32_t devices,
                          double stage_time, double message) {
  const auto more = static_cast<std::int32_t>(std::ceil(2 * message / stage_time));
  return devices + (devices - 1) * more;
}

}  // namespace pipeline
