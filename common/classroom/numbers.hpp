/// \file
/// Numbers that a person typed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// A whole number from `least` to `most`. Refuses anything else, with `option` and what
/// was typed.
Expected<std::int32_t> parse_count(std::string_view option, std::string_view typed,
                                   std::int32_t least, std::int32_t most);

/// A finite number of at least 0, such as a cost or a limit.
Expected<double> parse_amount(std::string_view option, std::string_view typed);

/// Several of them with a comma between; none where nothing was typed.
Expected<std::vector<std::int32_t>> parse_counts(std::string_view option,
                                                 std::string_view typed,
                                                 std::int32_t least, std::int32_t most);
/// Several amounts with a comma between; none where nothing was typed.
Expected<std::vector<double>> parse_amounts(std::string_view option,
                                            std::string_view typed);

}  // namespace pipeline
