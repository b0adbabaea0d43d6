#include "schedule/memory_budget.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

std::string in_words(double value) {
  return std::isnan(value) ? "not a number" : short_number(value);
}

}  // namespace

std::optional<Error> fault_of(const MemoryBudget& budget, std::int32_t devices) {
  const double freed = budget.freed_by_input_gradient;
  if (!(freed >= 0 && freed <= 1)) {
    return Error{
        "an input gradient can free a share of an activation from 0 to 1, not " +
            in_words(freed),
        "give a share from 0 to 1"};
  }
  const std::size_t limits = budget.limit.size();
  if (limits > 1 && limits != static_cast<std::size_t>(devices)) {
    return Error{std::to_string(limits) + " memory limits do not fit " +
                     counted(devices, "device"),
                 "give one for all devices, or one for each"};
  }
  for (const double limit : budget.limit) {
    if (!(limit >= 1)) {
      return Error{
          "no device can train with less than one activation, and the memory "
          "limit is " +
              in_words(limit),
          "give a limit of at least 1"};
    }
  }
  return std::nullopt;
}

}  // namespace pipeline
