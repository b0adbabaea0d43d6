// Costs are checked once, before anything is computed from them, so that no time in a
// timeline is ever negative or not a number.
#include "schedule/costs.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

struct NamedCost {
  const char* name;
  double value;
};

bool is_a_cost(double value) { return std::isfinite(value) && value >= 0; }

std::string in_words(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return "infinite";
  return number(value, 9) + ", a negative number";
}

Error refused(const std::string& what, double value) {
  return {what + " is " + in_words(value), "give a finite number, 0 or more"};
}

std::string of_stage(std::size_t index, std::size_t count) {
  return count == 1 ? " of the stages" : " of stage " + std::to_string(index);
}

Error wrong_count(const char* what, std::size_t count, std::int32_t stages) {
  const std::string pipeline_stages = std::to_string(stages);
  return {std::to_string(count) + " " + what + " for " + pipeline_stages + " stages",
          "give 1 for all stages, or " + pipeline_stages + ", one for each"};
}

bool counts_for(std::size_t count, std::int32_t stages) {
  return count == 1 || count == static_cast<std::size_t>(stages);
}

std::optional<Error> fault_of(const LinkCosts& link, const std::string& where) {
  for (const NamedCost& cost :
       {NamedCost{"latency", link.latency}, NamedCost{"bandwidth", link.bandwidth}}) {
    if (!is_a_cost(cost.value)) {
      return refused("the " + std::string(cost.name) + " " + where, cost.value);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> fault_of(const Costs& costs, std::int32_t stages) {
  if (!counts_for(costs.stages.size(), stages)) {
    return wrong_count("stage costs", costs.stages.size(), stages);
  }
  if (!counts_for(costs.message_bytes.size(), stages)) {
    return wrong_count("message sizes", costs.message_bytes.size(), stages);
  }
  for (std::size_t s = 0; s < costs.stages.size(); ++s) {
    const StageCosts& of = costs.stages[s];
    for (const NamedCost& cost :
         {NamedCost{"forward", of.forward},
          NamedCost{"input gradient", of.input_gradient},
          NamedCost{"weight gradient", of.weight_gradient},
          NamedCost{"recompute", of.recompute},
          NamedCost{"overlapped pair", of.overlapped}, NamedCost{"update", of.update},
          NamedCost{"reduce", of.reduce}}) {
      if (is_a_cost(cost.value)) continue;
      return refused("the cost of the " + std::string(cost.name) +
                         of_stage(s, costs.stages.size()),
                     cost.value);
    }
  }
  for (std::size_t s = 0; s < costs.message_bytes.size(); ++s) {
    if (is_a_cost(costs.message_bytes[s])) continue;
    return refused("the message size" + of_stage(s, costs.message_bytes.size()),
                   costs.message_bytes[s]);
  }
  for (std::size_t part = 0; part < costs.part_weights.size(); ++part) {
    const double weight = costs.part_weights[part];
    if (std::isfinite(weight) && weight > 0) continue;
    return Error{"the weight of part " + std::to_string(part) + " of a step is " +
                     (weight == 0 ? std::string("0") : in_words(weight)),
                 "give each micro-batch, or slice of one, a finite weight above 0"};
  }
  if (auto fault = fault_of(costs.within_node, "within a node")) return fault;
  if (auto fault = fault_of(costs.between_nodes, "between nodes")) return fault;
  if (costs.devices_per_node < 0) {
    return Error{std::to_string(costs.devices_per_node) + " devices per node",
                 "give 0 for a single node, or how many devices share one"};
  }
  return std::nullopt;
}

std::optional<Error> fault_of(const Costs& costs, const Schedule& schedule) {
  if (auto fault = fault_of(costs, schedule.stages())) return fault;
  const auto parts = static_cast<std::size_t>(
      schedule.slices.empty()
          ? schedule.micro_batches
          : std::accumulate(schedule.slices.begin(), schedule.slices.end(),
                            std::int64_t{0}));
  if (costs.part_weights.empty() || costs.part_weights.size() == parts) {
    return std::nullopt;
  }
  return Error{counted(static_cast<std::int64_t>(costs.part_weights.size()), "weight") +
                   " for a step of " +
                   counted(static_cast<std::int64_t>(parts), "part"),
               "give one for each micro-batch of a step, or for each slice of each"};
}

}  // namespace pipeline
