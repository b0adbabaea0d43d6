/// \file
/// A timeline as a figure: SVG that stands alone or inline in a page.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

struct SvgStyle {
  /// Width of the view box, 240 to 4000: at this many CSS pixels letters have their
  /// natural size. The axis is folded into bands where labels would not fit, so a
  /// figure for a phone is one made with width 360.
  std::int32_t width = 760;
  /// Starts every id in the figure; must differ between the figures of one page.
  /// Letters, digits, '-' and '_'; empty: made from the schedule's name and shape.
  std::string id;
  bool transfers = true;  ///< arrows from cell to cell
};

/// A row a device, time from left to right in ticks or seconds. Cells carry letter and
/// micro-batch and a tooltip; two actions that run together are one cell in two halves.
/// Idle time is hatched. Arrows are the timeline's transfers, or follow from the
/// schedule's dependences where none were recorded; one that must wait for its device
/// runs on in the gap between the rows. A dashed box marks the steady state.
///
/// Colours are CSS classes under `.pipeline-figure`, follow prefers-color-scheme, and
/// can be set by a page through the custom properties --pf-forward, --pf-ink, …. The
/// same input gives the same bytes on every platform. More than 20 000 actions are
/// refused.
Expected<std::string> draw_svg(const Schedule& schedule, const Timeline& timeline,
                               const SvgStyle& style = {});

/// Predicted above measured, two rows a device, each from its own first start and all
/// on one scale, without arrows. Both must count in the same unit: that of `measured`.
Expected<std::string> draw_comparison_svg(const Schedule& schedule,
                                          const Timeline& predicted,
                                          const Timeline& measured,
                                          const SvgStyle& style = {});

}  // namespace pipeline
