#include "planning/pace.hpp"

#include <algorithm>
#include <utility>

#include "planning/transfer.hpp"
#include "schedule/bounds.hpp"

namespace pipeline {

bool Pace::link_bound() const {
  return std::find(stage_times.begin(), stage_times.end(), interval) ==
         stage_times.end();
}

double Pace::time_of(std::int32_t micro_batches) const {
  return pass + (micro_batches - 1) * interval;
}

Expected<Pace> pace_of(const Costs& costs, std::int32_t stages,
                       const PaceOptions& options) {
  if (auto fault = refuse_count("stages", stages, kMaximumStages)) {
    return tl::unexpected<Error>(*std::move(fault));
  }
  if (!options.overlapped) {
    const auto blocking = blocking_transfers(costs, stages);
    if (!blocking) return tl::unexpected(blocking.error());
    return pace_of(*blocking, stages, {.training = options.training});
  }
  if (auto fault = fault_of(costs, stages)) {
    return tl::unexpected<Error>(*std::move(fault));
  }
  Pace pace;
  for (std::int32_t s = 0; s < stages; ++s) {
    const StageCosts& stage = costs.of(s);
    pace.stage_times.push_back(stage.forward +
                               (options.training ? stage.backward() : 0));
    pace.pass += pace.stage_times.back();
    if (s + 1 == stages) break;
    const Hop hop = hop_behind(costs, s);
    pace.link_times.push_back(hop.occupancy);
    pace.pass += (options.training ? 2 : 1) * hop.time();
  }
  pace.interval = *std::max_element(pace.stage_times.begin(), pace.stage_times.end());
  for (const double link : pace.link_times) {
    pace.interval = std::max(pace.interval, link);
  }
  return pace;
}

}  // namespace pipeline
