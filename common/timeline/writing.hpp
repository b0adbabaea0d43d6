/// \file
/// What the text, SVG, trace and CSV writers share: numbers and names as text. No
/// locale and no stream, so that every build writes the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schedule/action.hpp"
#include "schedule/numbers.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// "forward", "input gradient", …: the word for a kind, in legends and files.
std::string_view kind_name(ActionKind kind);

/// `text` with control characters and malformed UTF-8 replaced, so that a name out of a
/// file can do no harm in a terminal, in XML or in JSON.
std::string clean(std::string_view text);

/// `clean`, then escaped for XML text and attributes, or for a JSON string.
std::string xml_escaped(std::string_view text);
/// For a JSON string, without its quotes.
std::string json_escaped(std::string_view text);

/// How to write the times of a timeline: ticks, or s, ms or µs to suit its length.
struct TimeUnit {
  double size = 1;                  ///< in the timeline's own unit
  std::string_view name = "ticks";  ///< after a number

  /// "33", "12.35", "0.0003": of ticks two digits after the point, or four significant
  /// ones of less than one; of seconds three significant ones.
  std::string without_name(double time) const;
  /// "33 ticks", "1 tick", "12.5 ms".
  std::string with_name(double time) const;
};

/// Ticks for symbolic timelines, else what suits the `longest` of the times.
TimeUnit time_unit(Level level, double longest, bool ascii = false);

}  // namespace pipeline
