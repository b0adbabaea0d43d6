// mistake: the time of the step is taken for the longest span of a device
// fails: LongestSpan.IsOfOneDeviceAndNotOfAll
// says: the time of the step, is none of them
// points: 16
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double longest_span(const std::vector<std::vector<Span>>& spans) {
  double first = 0;
  double last = 0;
  for (std::size_t d = 0; d < spans.size(); ++d) {
    if (d == 0) first = spans[d].front().start;
    first = std::min(first, spans[d].front().start);
    last = std::max(last, spans[d].back().end);
  }
  return last - first;
}

}  // namespace pipeline
