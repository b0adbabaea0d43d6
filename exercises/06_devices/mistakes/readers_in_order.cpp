// mistake: two that read the same buffer must not change places
// fails: MustStayInOrder.IsNotAskedOfReadersAndStrangers
// says: Both only read A
// points: 11
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

bool must_stay_in_order(const Operation& first, const Operation& second) {
  std::vector<std::int32_t> used = first.reads;
  used.insert(used.end(), first.writes.begin(), first.writes.end());
  return std::any_of(used.begin(), used.end(), [&](std::int32_t buffer) {
    return std::count(second.reads.begin(), second.reads.end(), buffer) > 0 ||
           std::count(second.writes.begin(), second.writes.end(), buffer) > 0;
  });
}

}  // namespace pipeline
