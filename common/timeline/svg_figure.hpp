/// \file
/// A figure from what it shows: where everything goes, and its parts. Private to the
/// figures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/versions.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/picture.hpp"
#include "timeline/writing.hpp"

namespace pipeline::svg {

/// A row of the figure: a device of one of the pictures.
struct Lane {
  std::string label;
  std::string note;  ///< "predicted": part of the tooltips
  const Picture* picture = nullptr;
  std::size_t device = 0;
};

/// Bands lie below each other; band b shows the times [b*per_band, (b+1)*per_band).
struct Layout {
  double left = 0;   ///< x of the start of each band
  double scale = 1;  ///< units of length per unit of time
  double length = 0;
  double per_band = 0;
  std::int32_t bands = 1;
  double row_height = 30;
  double gap = 8;  ///< between the rows of different devices
  double top = 0;  ///< of the first band
  double band_height = 0;

  double begin(std::int32_t band) const { return band * per_band; }
  double end(std::int32_t band) const {
    return band + 1 == bands ? length : begin(band + 1);
  }
  double y(std::int32_t band) const { return top + band * band_height; }
  double x(double time, std::int32_t band) const {
    return left + (time - begin(band)) * scale;
  }
  double right(std::int32_t band) const { return x(end(band), band); }
  /// The band in which something that starts at `time` is drawn.
  std::int32_t band_of(double time) const {
    return std::clamp(static_cast<std::int32_t>((time + 1e-9 * length) / per_band), 0,
                      bands - 1);
  }
};

/// Items of a heading or legend, one after another on as many lines as it takes.
struct Item {
  std::string text;
  double x = 0;
  std::int32_t line = 0;
};

struct Paragraph {
  std::vector<Item> items;
  double width = 0;
  double height() const;
};

/// All that a figure shows.
struct Contents {
  std::vector<Lane> lanes;
  std::vector<std::string> heading;  ///< the first part is the name
  std::string description;
  std::vector<Span> steady;  ///< from the start of the picture
  std::vector<Link> links;
  const Timeline* timeline = nullptr;  ///< that `links` belong to
  /// For the tooltips; none where every step uses the weights that it began with.
  std::optional<WeightVersions> versions;
  TimeUnit unit;
  bool symbolic = true;
  bool live = false;  ///< see `draw_live_svg`
  double until = 0;   ///< end of the axis, where the pictures end earlier
};

enum class Swatch : std::uint8_t {
  Kind,
  InstantKind,
  Tone,
  Idle,
  Transfer,
  Steady,
  None
};

/// A part of the legend.
struct Key {
  std::string text;
  Swatch swatch = Swatch::None;
  ActionKind kind = ActionKind::Forward;
  std::size_t tone = 0;
};

/// The way of an arrow, from its tail to its head.
struct Arrow {
  struct Point {
    double x = 0;
    double y = 0;
  };
  std::vector<Point> points;
  bool far = false;  ///< not to the next row
};

/// The same as the data of a path.
std::string way_of(const Arrow& arrow);

/// What happens at one moment, one after another, each kind once.
std::vector<ActionKind> kinds_of(const Instant& instant);

class Figure {
 public:
  Figure(const Contents& contents, std::string id, double width)
      : contents_(contents), id_(std::move(id)), width_(width) {
    arrange();
  }

  std::string write();
  /// Of a figure that is not folded.
  FigureFrame frame() const;

 private:
  // Sizes, from the outside in.
  void arrange();
  void choose_row_height();
  void choose_scale();
  void choose_live_scale();
  bool has_room_for_arrows() const;
  std::vector<Key> legend_keys() const;
  double height() const;
  // Parts, each of which appends to out_.
  void open();
  void draw_axis(std::int32_t band);
  void draw_lane(std::int32_t band, const Lane& lane);
  void draw_cell(std::int32_t band, const Lane& lane, const Cell& cell);
  void draw_part(const Action& action, std::size_t tone, double x, double y,
                 double width, double height, double radius);
  void draw_label(const Action& action, double x, double y, double room);
  void draw_instant(std::int32_t band, const Lane& lane, const Instant& instant);
  void draw_steady(std::int32_t band, const Span& span);
  void draw_link(const Link& link);
  void draw_legend();
  void draw_swatch(const Key& key, double x, double y);
  // The same in a live figure (svg_live.cpp).
  void draw_live_lane(const Lane& lane);
  void draw_live_cells(const Lane& lane, double y);
  Span visible_span(const std::vector<Cell>& row, std::size_t index) const;
  bool draw_labelled_cell(const Lane& lane, const Cell& cell, double y);
  void draw_live_instants(const Lane& lane, double y);
  void draw_live_idle();
  void draw_live_links();

  /// Where in its band the lane begins.
  double lane_y(std::int32_t band, const Lane& lane) const;
  Arrow arrow_of(const Link& link) const;
  std::string in_words(const Action& action) const;
  std::string tooltip(const Lane& lane, std::string_view what, const Span& span) const;

  const Contents& contents_;
  std::string id_;
  double width_;
  Layout layout_;
  bool names_stages_ = false;
  bool draws_arrows_ = false;
  std::vector<double> lane_y_;
  Paragraph heading_;
  std::vector<Key> keys_;
  Paragraph legend_;  ///< of the texts of the keys
  std::string out_;
  std::string labels_;  ///< of the band being drawn: on top of its steady-state box
};

}  // namespace pipeline::svg
