// mistake: wrong neighbour: the last device sends to the first, as in a ring
// fails: Neighbours.AreTheDevicesBeforeAndAfter
// says: a pipeline is a line and not a ring
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t sends_to(std::int32_t stage, std::int32_t stages) {
  return (stage + 1) % stages;
}

}  // namespace pipeline
