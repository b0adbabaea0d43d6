// Walks backwards: from the last action to what it waited for, to what that waited for,
// until something waited for nothing.
#include "timeline/critical_path.hpp"

#include <limits>
#include <optional>

#include "timeline/waits.hpp"

namespace pipeline {
namespace {

std::optional<EntryPlace> last_to_end(const Schedule& schedule,
                                      const Timeline& timeline) {
  std::optional<EntryPlace> last;
  double end = 0;
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      if (is_communication(schedule.rows[d][i].action.kind)) continue;
      if (last && timeline.spans[d][i].end <= end) continue;
      last = EntryPlace{d, i};
      end = timeline.spans[d][i].end;
    }
  }
  return last;
}

}  // namespace

std::string_view to_text(WaitReason reason) {
  switch (reason) {
    case WaitReason::Nothing:
      return "nothing";
    case WaitReason::Device:
      return "device";
    case WaitReason::Message:
      return "message";
    case WaitReason::Meeting:
      return "meeting";
    case WaitReason::Producer:
      return "producer";
    case WaitReason::Link:
      return "link";
  }
  return "unknown";
}

std::vector<CriticalStep> critical_path(const Schedule& schedule,
                                        const Timeline& timeline) {
  if (!belongs_to(timeline, schedule)) return {};
  const auto last = last_to_end(schedule, timeline);
  if (!last) return {};
  constexpr double kBeginning = -std::numeric_limits<double>::infinity();
  std::vector<CriticalStep> steps =
      chain_to(Waits(schedule, timeline), *last, kBeginning);
  std::erase_if(steps, [](const CriticalStep& step) {
    return step.span.length() <= 0 && step.waited_for != WaitReason::Meeting;
  });
  return steps;
}

}  // namespace pipeline
