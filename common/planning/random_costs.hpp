/// \file
/// Random pipelines for the tests of planning. All costs are small whole numbers, and
/// bandwidths powers of two, so that every sum is exact. Test code.
#pragma once

#include <cstdint>
#include <random>

#include "schedule/costs.hpp"

namespace pipeline::test {

/// Draws whole numbers; the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}

  std::int32_t from(std::int32_t least, std::int32_t most) {
    const auto range = static_cast<std::uint32_t>(most - least + 1);
    return least + static_cast<std::int32_t>(engine_() % range);
  }

 private:
  std::mt19937 engine_;
};

/// `count` stages (or layers), some of which cost nothing; links of two speeds and some
/// latency.
inline Costs random_costs(Draw& draw, std::int32_t count) {
  Costs costs;
  costs.stages.clear();
  costs.message_bytes.clear();
  for (std::int32_t s = 0; s < count; ++s) {
    StageCosts stage;
    const bool is_free = draw.from(0, 5) == 0;
    stage.forward = is_free ? 0 : draw.from(1, 9);
    stage.input_gradient = is_free ? 0 : draw.from(0, 9);
    stage.weight_gradient = is_free ? 0 : draw.from(0, 9);
    costs.stages.push_back(stage);
    costs.message_bytes.push_back(4.0 * draw.from(0, 12));
  }
  costs.within_node = {static_cast<double>(draw.from(0, 3)), 4};
  costs.between_nodes = {static_cast<double>(draw.from(0, 9)), 2};
  costs.devices_per_node = draw.from(0, 3);
  return costs;
}

}  // namespace pipeline::test
