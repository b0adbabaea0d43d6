#include "timeline/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(ActionKind::Update) + 1;

/// Calls `visit(device, entry)` for every entry that computes.
template <typename Visit>
void for_each_computation(const Schedule& schedule, Visit visit) {
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      if (!is_communication(schedule.rows[d][i].action.kind)) visit(d, i);
    }
  }
}

double first_start(const Schedule& schedule, const Timeline& timeline) {
  double first = std::numeric_limits<double>::infinity();
  for_each_computation(schedule, [&](std::size_t d, std::size_t i) {
    first = std::min(first, timeline.spans[d][i].start);
  });
  return first;
}

std::vector<ComparedKind> compare_kinds(const Schedule& schedule,
                                        const Timeline& predicted,
                                        const Timeline& measured) {
  std::array<ComparedKind, kKinds> all;
  for_each_computation(schedule, [&](std::size_t d, std::size_t i) {
    const Row& row = schedule.rows[d];
    if (row[i].with_next || (i > 0 && row[i - 1].with_next)) return;
    ComparedKind& of = all[static_cast<std::size_t>(row[i].action.kind)];
    of.kind = row[i].action.kind;
    ++of.count;
    of.predicted_mean += predicted.spans[d][i].length();
    of.measured_mean += measured.spans[d][i].length();
  });
  std::vector<ComparedKind> kinds;
  for (ComparedKind& of : all) {
    if (of.count == 0) continue;
    of.predicted_mean /= static_cast<double>(of.count);
    of.measured_mean /= static_cast<double>(of.count);
    kinds.push_back(of);
  }
  return kinds;
}

Deviation largest_deviation(const Schedule& schedule, const Timeline& predicted,
                            const Timeline& measured) {
  const double predicted_origin = first_start(schedule, predicted);
  const double measured_origin = first_start(schedule, measured);
  Deviation largest;
  for_each_computation(schedule, [&](std::size_t d, std::size_t i) {
    const Span& expected = predicted.spans[d][i];
    const Span& came = measured.spans[d][i];
    const Span there{expected.start - predicted_origin,
                     expected.end - predicted_origin};
    const Span here{came.start - measured_origin, came.end - measured_origin};
    for (const double difference : {here.start - there.start, here.end - there.end}) {
      if (std::abs(difference) <= std::abs(largest.difference)) continue;
      largest = {static_cast<std::int32_t>(d),
                 i,
                 schedule.rows[d][i].action,
                 there,
                 here,
                 difference};
    }
  });
  return largest;
}

}  // namespace

double ComparedValue::ratio() const {
  if (predicted != 0) return measured / predicted;
  return measured == 0 ? 1 : std::numeric_limits<double>::infinity();
}

Expected<Comparison> compare(const Schedule& schedule, const Timeline& predicted,
                             const Timeline& measured) {
  for (const Timeline* timeline : {&predicted, &measured}) {
    if (belongs_to(*timeline, schedule)) continue;
    return refuse("the " +
                      std::string(timeline == &predicted ? "predicted" : "measured") +
                      " timeline belongs to another schedule",
                  "compare timelines of the very same rows (both lowered, or neither)");
  }
  return Comparison{.predicted_level = predicted.level,
                    .measured_level = measured.level,
                    .predicted = measure(schedule, predicted),
                    .measured = measure(schedule, measured),
                    .kinds = compare_kinds(schedule, predicted, measured),
                    .largest = largest_deviation(schedule, predicted, measured)};
}

std::vector<ComparedValue> compared_values(const Comparison& comparison) {
  const Metrics& predicted = comparison.predicted;
  const Metrics& measured = comparison.measured;
  std::vector<ComparedValue> values = {
      {"makespan", predicted.makespan, measured.makespan},
      {"idle fraction", predicted.idle_fraction, measured.idle_fraction},
  };
  for (const ComparedKind& of : comparison.kinds) {
    values.push_back({"mean " + std::string(kind_name(of.kind)), of.predicted_mean,
                      of.measured_mean});
  }
  for (std::size_t d = 0; d < predicted.busy.size(); ++d) {
    const std::string device = " on device " + std::to_string(d);
    values.push_back({"busy" + device, predicted.busy[d], measured.busy[d]});
    values.push_back({"idle" + device, predicted.makespan - predicted.busy[d],
                      measured.makespan - measured.busy[d]});
  }
  return values;
}

}  // namespace pipeline
