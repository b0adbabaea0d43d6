/// \file
/// The name of JSON alone, for headers: the whole of it is dear to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace pipeline {

/// Keeps its keys in the order in which they came.
using Json = nlohmann::ordered_json;

}  // namespace pipeline
