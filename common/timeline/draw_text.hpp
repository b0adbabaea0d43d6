/// \file
/// A timeline as characters: a row a device, time from left to right.
///
///     tick        1    2    3    4    5    6
///              ┌────┬────┬────┬────┬────┬────┐
///     device 0 │ F0 │ F1 │ F2 │ F3 │ ·· │ ·· │
///     device 1 │ ·· │ F0 │ F1 │ F2 │ F3 │ ·· │
///     device 2 │ ·· │ ·· │ F0 │ F1 │ F2 │ F3 │
///              └────┴────┴────┴────┴────┴────┘
#pragma once

#include <cstdint>
#include <string>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// What characters a picture may use.
struct TextStyle {
  bool ascii = false;       ///< no character beyond ASCII
  std::int32_t width = 80;  ///< columns, 40 to 1000; no line is longer
  bool color = false;       ///< ANSI background colours, for a terminal
};

/// A title, the devices with a time axis above them, where the steady state is, and a
/// legend of what occurs. Whole ticks get columns of equal width; other times, and
/// ticks that would not fit, are rounded to columns. A long axis is folded into bands,
/// one below the other, each with every device; the title says so. Cells too narrow for
/// a label keep their letter, and those below half a column are counted in a note.
Expected<std::string> draw_text(const Schedule& schedule, const Timeline& timeline,
                                const TextStyle& style = {});

/// Predicted above measured, two rows a device, each from its own first start and all
/// on one scale. Both must count in the same unit: that of `measured`.
Expected<std::string> draw_comparison_text(const Schedule& schedule,
                                           const Timeline& predicted,
                                           const Timeline& measured,
                                           const TextStyle& style = {});

}  // namespace pipeline
