/// \file
/// A timeline as a figure: SVG that stands alone or inline in a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/picture.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// The most entries of a schedule that a figure holds.
inline constexpr std::size_t kMostDrawnEntries = 20'000;

/// What a figure shows, and how wide.
struct SvgStyle {
  /// Width of the view box, 240 to 4000: at this many CSS pixels letters have their
  /// natural size. The axis is folded into bands where labels would not fit, so a
  /// figure for a phone is one made with width 360.
  std::int32_t width = 760;
  /// Starts every id in the figure; must differ between the figures of one page.
  /// Letters, digits, '-' and '_'; empty: made from the schedule's name and shape.
  std::string id;
  bool transfers = true;  ///< arrows from cell to cell
  bool steady = true;     ///< a dashed box around the steady state
  /// Live figures only: the axis reaches at least so far from the start of the picture,
  /// in the timeline's unit. Two figures with one `until` share their axis.
  double until = 0;
};

/// Whether all of it may be part of an id: letters, digits, '-' and '_'.
bool is_figure_id(std::string_view id);

/// A row a device, time from left to right in ticks or seconds. Cells carry letter and
/// micro-batch and a tooltip; two actions that run together are one cell in two halves.
/// Idle time is hatched. Arrows are the timeline's transfers, or follow from the
/// schedule's dependences where none were recorded; one that must wait for its device
/// runs on in the gap between the rows. A dashed box marks the steady state.
///
/// Colours are CSS classes under `.pipeline-figure`, follow prefers-color-scheme, and
/// can be set by a page through the custom properties --pf-forward, --pf-ink, …. The
/// same input gives the same bytes on every platform. More than `kMostDrawnEntries`
/// actions are refused.
Expected<std::string> draw_svg(const Schedule& schedule, const Timeline& timeline,
                               const SvgStyle& style = {});

/// Where everything is in a figure, in its user units, so that a page can find the cell
/// under the pointer: the time at `px` is (px - x) / scale, on the timeline's clock.
struct FigureFrame {
  /// Where a device's cells are.
  struct Row {
    double y = 0;       ///< of their upper edge
    double height = 0;  ///< of them
  };
  double x = 0;                ///< of time 0
  double scale = 1;            ///< length per unit of time
  double width = 0;            ///< of the figure
  double height = 0;           ///< of the figure
  std::vector<Row> rows = {};  ///< one for each device

  /// Where a time is.
  double x_of(double time) const { return x + time * scale; }
};

/// A figure, and where everything is in it.
struct LiveSvg {
  std::string svg;    ///< one `<svg>` element
  FigureFrame frame;  ///< of that element
  Picture picture;    ///< what it shows
};

/// The same figure for a page that redraws it with every move of a slider. It is
/// exactly as wide as asked for and never folded, however narrow that makes its cells.
/// What is too narrow for its label is drawn together with its like in one `<path>` a
/// row; touching cells of a kind that would be less than two pixels wide are one run,
/// and nothing is so thin that it vanishes. Arrows are left out where they would run
/// into each other. There are no tooltips and no style sheet: the page carries
/// `style_sheet()` once. A timeline in which nothing takes time, or too little for a
/// scale, is refused unless `until` is above zero.
Expected<LiveSvg> draw_live_svg(const Schedule& schedule, const Timeline& timeline,
                                const SvgStyle& style = {});

/// Predicted above measured, two rows a device, each from its own first start and all
/// on one scale, without arrows. Both must count in the same unit: that of `measured`.
Expected<std::string> draw_comparison_svg(const Schedule& schedule,
                                          const Timeline& predicted,
                                          const Timeline& measured,
                                          const SvgStyle& style = {});

}  // namespace pipeline
