/// \file
/// Points in time as people and learning platforms write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pipeline {

/// Seconds since 1970 of "2026-03-01", "2026-03-01 23:59", "2026-03-01T23:59:00.5Z" or
/// "2026-03-01 23:59:00 -07:00". Without a zone it is local time ($TZ); a day alone
/// means its last second. Nothing for any other text.
std::optional<std::int64_t> parse_time(std::string_view text);

/// Days from `due` to `when`, rounded up to hundredths; 0 where it was in time.
double days_late(std::int64_t when, std::int64_t due);

}  // namespace pipeline
