/// \file
/// The contract of an exercise: the plain functions that exercise.hpp declares, and the
/// two ends of a wire that are written from it. A new exercise costs nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// `std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches);`
struct ContractFunction {
  std::string result;                   ///< "std::int64_t"
  std::string name;                     ///< "tick_count"
  std::vector<std::string> parameters;  ///< "std::int32_t devices", without defaults

  bool operator==(const ContractFunction&) const = default;
};

/// The functions that `header` declares in namespace pipeline and does not define, in
/// order. Refuses a header without any, two of one name, and what it does not
/// understand.
Expected<std::vector<ContractFunction>> parse_contract(std::string_view header);

/// The source of the tests' end (remote.hpp).
std::string proxy_source(const std::vector<ContractFunction>& contract);

/// The source of the worker's end (serve.hpp).
std::string shim_source(const std::vector<ContractFunction>& contract);

}  // namespace pipeline
