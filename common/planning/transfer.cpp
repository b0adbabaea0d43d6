#include "planning/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "planning/pace.hpp"
#include "schedule/bounds.hpp"

namespace pipeline {
namespace {

/// `value` rounded up, where sums of times that are off by their last digits count as
/// what they should be.
double rounded_up(double value) { return std::ceil(value - 1e-9 * value); }

}  // namespace

Hop hop_of(const LinkCosts& link, double bytes) {
  return {link.bandwidth > 0 ? bytes / link.bandwidth : 0, link.latency};
}

Hop hop_behind(const Costs& costs, std::int32_t stage) {
  return hop_of(costs.between(stage, stage + 1), costs.bytes_leaving(stage));
}

double break_even_bandwidth(double bytes, double interval) {
  if (bytes == 0) return 0;
  return interval > 0 ? bytes / interval : std::numeric_limits<double>::infinity();
}

Expected<Costs> blocking_transfers(const Costs& costs, std::int32_t stages) {
  auto fault = refuse_count("stages", stages, kMaximumStages);
  if (!fault) fault = fault_of(costs, stages);
  if (fault) return tl::unexpected<Error>(*std::move(fault));
  Costs blocking;
  blocking.part_weights = costs.part_weights;
  blocking.stages.clear();
  for (std::int32_t s = 0; s < stages; ++s) {
    StageCosts stage = costs.of(s);
    const double activation = s + 1 < stages ? hop_behind(costs, s).time() : 0;
    const double gradient = s > 0 ? hop_behind(costs, s - 1).time() : 0;
    stage.forward += activation;
    stage.input_gradient += gradient;
    stage.overlapped += activation + gradient;
    blocking.stages.push_back(stage);
  }
  return blocking;
}

Expected<std::vector<std::int32_t>> in_flight_to_hide(const Costs& costs,
                                                      std::int32_t stages) {
  const auto pace = pace_of(costs, stages);
  if (!pace) return tl::unexpected(pace.error());
  std::vector<std::int32_t> held(static_cast<std::size_t>(stages), 1);
  if (!(pace->interval > 0)) return held;  // nothing takes any time
  for (std::int32_t a = stages - 2; a >= 0; --a) {
    double round_trip = pace->stage_times[static_cast<std::size_t>(a)];
    double most = 1;
    for (std::int32_t b = a + 1; b < stages; ++b) {
      round_trip += 2 * hop_behind(costs, b - 1).time() +
                    pace->stage_times[static_cast<std::size_t>(b)];
      const double behind = held[static_cast<std::size_t>(b)];
      most = std::max(most, behind + rounded_up(round_trip / pace->interval) - 1);
    }
    if (most > static_cast<double>(kMaximumActions)) {
      return refuse("transfers take so long that no number of micro-batches hides them",
                    "take larger micro-batches, or links of less latency");
    }
    held[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(most);
  }
  return held;
}

}  // namespace pipeline
