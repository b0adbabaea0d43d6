// mistake: only what reads must wait, so that buffers are overwritten while in use
// fails: MustStayInOrder.IsAskedOfWritingWhatIsStillReadOrWritten
// says: the first reads the new A
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

bool must_stay_in_order(const Operation& first, const Operation& second) {
  return std::any_of(
      first.writes.begin(), first.writes.end(), [&](std::int32_t buffer) {
        return std::count(second.reads.begin(), second.reads.end(), buffer) > 0;
      });
}

}  // namespace pipeline
