// mistake: wrong neighbour: receives from the next device
// fails: Neighbours.AreTheDevicesBeforeAndAfter
// says: receives from
// points: 11
#include "exercise.hpp"

namespace pipeline {

std::int32_t receives_from(std::int32_t stage) {
  return stage == 0 ? kNone : stage + 1;
}

}  // namespace pipeline
