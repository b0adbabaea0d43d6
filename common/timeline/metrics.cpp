#include "timeline/metrics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "timeline/median.hpp"

namespace pipeline {
namespace {

/// Grows around the stretches of time that are put into it.
struct Extent {
  double start = std::numeric_limits<double>::infinity();
  double end = -std::numeric_limits<double>::infinity();

  void cover(const Span& span) {
    start = std::min(start, span.start);
    end = std::max(end, span.end);
  }
  double length() const { return end > start ? end - start : 0; }
};

double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

/// What one device did: joined entries count once, sends and receives not at all, and
/// what took no time (an Update that costs nothing) neither begins nor ends anything.
struct DeviceUse {
  Extent extent;
  double busy = 0;

  DeviceUse(const Row& row, const std::vector<Span>& spans) {
    bool counted = false;  // this cell, by an earlier entry of it
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool computes = !is_communication(row[i].action.kind);
      if (computes && !counted && spans[i].length() > 0) {
        extent.cover(spans[i]);
        busy += spans[i].length();
      }
      counted = row[i].with_next && (counted || computes);
    }
  }
};

bool belongs_to_a_micro_batch(ActionKind kind) {
  return !is_communication(kind) && kind != ActionKind::Update &&
         kind != ActionKind::Reduce && kind != ActionKind::ReduceNorm;
}

/// The median of the gaps between these times.
double median_gap(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  for (std::size_t k = 0; k + 1 < times.size(); ++k) times[k] = times[k + 1] - times[k];
  if (!times.empty()) times.pop_back();
  return median(times);
}

/// The interval of one pipeline, or of two that deliver side by side.
double steady_interval_of(const Schedule& schedule, const std::vector<double>& left) {
  std::array<std::vector<double>, 2> of_copy;
  for (std::size_t k = 0; k < left.size(); ++k) {
    const std::int32_t copy = schedule.copy_of(static_cast<std::int32_t>(k));
    of_copy[static_cast<std::size_t>(copy)].push_back(left[k]);
  }
  const double first = median_gap(std::move(of_copy[0]));
  const double second = median_gap(std::move(of_copy[1]));
  if (first == 0 || second == 0) return std::max(first, second);
  return first * second / (first + second);
}

/// Fills the two figures that follow micro-batches instead of devices.
void follow_micro_batches(const Schedule& schedule, const Timeline& timeline,
                          Metrics& metrics) {
  std::vector<double> left(static_cast<std::size_t>(schedule.total_micro_batches()), 0);
  Extent first_forward;
  for (std::size_t d = 0; d < timeline.spans.size(); ++d) {
    for (std::size_t i = 0; i < timeline.spans[d].size(); ++i) {
      const Action& action = schedule.rows[d][i].action;
      const Span& span = timeline.spans[d][i];
      if (!belongs_to_a_micro_batch(action.kind)) continue;
      double& end = left[static_cast<std::size_t>(action.micro_batch)];
      end = std::max(end, span.end);
      if (action.kind == ActionKind::Forward && action.micro_batch == 0) {
        first_forward.cover(span);
      }
    }
  }
  metrics.first_latency = first_forward.length();
  metrics.steady_interval = steady_interval_of(schedule, left);
}

}  // namespace

Metrics measure(const Schedule& schedule, const Timeline& timeline) {
  Metrics metrics;
  Extent all;
  double busy = 0;
  std::vector<DeviceUse> uses;
  for (std::size_t d = 0; d < timeline.spans.size(); ++d) {
    const DeviceUse& use = uses.emplace_back(schedule.rows[d], timeline.spans[d]);
    const double span = use.extent.length();
    if (span > 0) all.cover({use.extent.start, use.extent.end});
    busy += use.busy;
    metrics.busy.push_back(use.busy);
    metrics.internal_idle.push_back(span - use.busy);
    metrics.ideal = std::max(metrics.ideal, use.busy);
    metrics.longest_span = std::max(metrics.longest_span, span);
  }
  const auto devices = static_cast<double>(uses.size());
  metrics.makespan = all.length();
  const double available = devices * metrics.makespan;
  metrics.utilisation = ratio(busy, available);
  metrics.idle_fraction = ratio(available - busy, available);
  metrics.idle_overhead = ratio(available - busy, devices * metrics.ideal);
  metrics.span_bubble =
      ratio(metrics.longest_span - metrics.ideal, metrics.longest_span);
  follow_micro_batches(schedule, timeline, metrics);
  return metrics;
}

}  // namespace pipeline
