#include "timeline/memory_curve.hpp"

#include <algorithm>
#include <cstddef>

#include "timeline/holding.hpp"

namespace pipeline {
namespace {

/// The computation of a cell; communication holds no activation.
const Entry* computation_of(const Entry* first, const Entry* last) {
  return std::find_if(first, last, [](const Entry& entry) {
    return !is_communication(entry.action.kind);
  });
}

/// Collects the steps of one device.
class Curve {
 public:
  Curve(const Holding& holding, std::int32_t visits)
      : holding_(holding), visits_(visits) {}

  void made_at(double time) {
    // What the cell before freed at this very moment is made again: no step of its own.
    if (freed_ && steps_.back().time >= time) steps_.pop_back();
    freed_ = false;
    add(time);
  }
  void freed_at(double time) { freed_ = add(time); }

  std::vector<MemoryStep> steps() && { return std::move(steps_); }

 private:
  /// False where nothing has changed.
  bool add(double time) {
    const MemoryStep last = steps_.empty() ? MemoryStep{} : steps_.back();
    const MemoryStep step{steps_.empty() ? time : std::max(time, last.time),
                          visits_ > 0 ? holding_.micro_batches() / visits_ : 0,
                          holding_.chunks()};
    if (step.held == last.held && step.chunks == last.chunks) return false;
    steps_.push_back(step);
    return true;
  }

  const Holding& holding_;
  std::int32_t visits_;
  bool freed_ = false;  ///< in the last step
  std::vector<MemoryStep> steps_;
};

}  // namespace

std::vector<std::vector<MemoryStep>> memory_curve(const Schedule& schedule,
                                                  const Timeline& timeline,
                                                  const MemoryOptions& options) {
  return memory_curve(schedule, timeline, options, Recomputed(schedule));
}

std::vector<std::vector<MemoryStep>> memory_curve(const Schedule& schedule,
                                                  const Timeline& timeline,
                                                  const MemoryOptions& options,
                                                  const Recomputed& recomputed) {
  std::vector<std::vector<MemoryStep>> curves;
  if (!belongs_to(timeline, schedule)) return curves;
  const std::vector<std::int32_t> visits = stages_visited(schedule);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    Holding holding(schedule, recomputed, options);
    Curve curve(holding, visits[d]);
    const Row& row = schedule.rows[d];
    const Entry* const end = row.data() + row.size();
    for (const Entry* first = row.data(); first != end;) {
      const Entry* last = end_of_cell(first, end);
      const Entry* computation = computation_of(first, last);
      if (computation != last) {
        const Span& span =
            timeline.spans[d][static_cast<std::size_t>(computation - row.data())];
        holding.make(first, last);
        curve.made_at(span.start);
        holding.release(first, last);
        curve.freed_at(span.end);
      }
      first = last;
    }
    curves.push_back(std::move(curve).steps());
  }
  return curves;
}

}  // namespace pipeline
