// Exercise 06: devices. The task is in exercises/06_devices/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

Link link_of(const std::vector<TimedCopy>& copies) {
  // Your turn: how would you lay a straight line through bytes and seconds? And how
  // does it change if each copy's error counts relative to its seconds?
  return {};
}

double bytes_for_half(const Link& link) {
  // Your turn: when does a message take twice as long as its bytes alone?
  return 0;
}

bool must_stay_in_order(const Operation& first, const Operation& second) {
  // Your turn: what can go wrong with a buffer that both of them use?
  return false;
}

std::vector<Pair> unordered(const std::vector<Operation>& operations,
                            const std::vector<Pair>& waits) {
  std::vector<Pair> pairs;
  // Your turn: which operations are certain to run before which?
  return pairs;
}

std::vector<Pair> waits_needed(const std::vector<Operation>& operations) {
  std::vector<Pair> waits;
  // Your turn: begin with all the waits that could be needed.
  return waits;
}

}  // namespace pipeline
