// mistake: every device starts in tick 0: nothing is handed on
// fails: RunningAt.MovesTheWaveOneDeviceOnInEachTick
// says: A device can only take what the one before it finished a tick ago
// points: 9
#include "exercise.hpp"

namespace pipeline {

std::int32_t running_at(std::int32_t /*device*/, std::int32_t micro_batches,
                        std::int32_t tick) {
  return tick <= micro_batches ? tick - 1 : kIdle;
}

}  // namespace pipeline
