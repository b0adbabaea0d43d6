/// \file
/// In the module `std::sort` is this one, which every source includes first. The
/// library's takes four kilobytes for each type that is sorted, this one 300 bytes, and
/// what is sorted is mostly in order already. Results are the same: what ties in a sort
/// is indistinguishable (common/lab/README.md), so that all sorts agree. Private to the
/// lab part.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace std {  // NOLINT(cert-dcl58-cpp)

/// Shell's sort with the gaps of Ciura (2001), continued by 2.25.
template <typename Iterator, typename Less>
void small_sort(Iterator first, Iterator last, Less less) {
  constexpr array<ptrdiff_t, 16> kGaps{1,     4,     10,     23,    57,   132,
                                       301,   701,   1577,   3548,  7983, 17961,
                                       40412, 90927, 204585, 460316};
  const ptrdiff_t count = last - first;
  for (auto gap = kGaps.rbegin(); gap != kGaps.rend(); ++gap) {
    for (ptrdiff_t i = *gap; i < count; ++i) {
      if (!less(first[i], first[i - *gap])) continue;
      auto moved = std::move(first[i]);
      ptrdiff_t to = i;
      for (; to >= *gap && less(moved, first[to - *gap]); to -= *gap) {
        first[to] = std::move(first[to - *gap]);
      }
      first[to] = std::move(moved);
    }
  }
}

template <typename Iterator>
void small_sort(Iterator first, Iterator last) {
  small_sort(first, last,
             [](const auto& one, const auto& other) { return one < other; });
}

}  // namespace std

#define sort small_sort
