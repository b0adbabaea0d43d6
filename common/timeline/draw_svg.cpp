#include "timeline/draw_svg.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "schedule/text.hpp"
#include "schedule/versions.hpp"
#include "timeline/picture.hpp"
#include "timeline/svg_style.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostEntries = 20'000;
constexpr std::int32_t kNarrowest = 240;
constexpr std::int32_t kWidest = 4000;
constexpr std::int32_t kMostBands = 8;

// Lengths in user units, which are CSS pixels at natural size. Widths of text are
// estimates on the safe side: the figure is written without knowing the font.
constexpr double kMargin = 10;
constexpr double kLetter = 7.4;       // a character of a label, 12 px bold
constexpr double kTightLetter = 6.8;  // the same at 10 px
constexpr double kText = 6.9;         // a character of other text
constexpr double kName = 9;           // a character of the name, 14 px bold
constexpr double kWidestCell = 52;
constexpr double kLine = 22;  // of the heading and the legend
constexpr double kSteadySpace = 22;
constexpr double kAxisSpace = 40;

/// How many average characters wide a label is: W is the one wide letter.
double characters(std::string_view label) {
  const auto wide = std::count(label.begin(), label.end(), 'W');
  return static_cast<double>(label.size()) + 0.5 * static_cast<double>(wide);
}

std::string num(double value) { return number(value, 2); }

std::string attribute(std::string_view name, double value) {
  std::string out = " ";
  out += name;
  return out + "=\"" + num(value) + "\"";
}

std::string rect(std::string_view css, double x, double y, double width, double height,
                 double radius = 0) {
  std::string out = "<rect class=\"";
  out += css;
  out += "\"" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height);
  if (radius > 0) out += attribute("rx", radius);
  return out;
}

std::string text(std::string_view css, double x, double y, std::string_view content) {
  std::string out = "<text class=\"";
  out += css;
  return out + "\"" + attribute("x", x) + attribute("y", y) + ">" +
         xml_escaped(content) + "</text>";
}

std::string line(std::string_view css, double x1, double y1, double x2, double y2) {
  std::string out = "<line class=\"";
  out += css;
  return out + "\"" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
         attribute("y2", y2) + "/>";
}

// ---- Where everything is
// --------------------------------------------------------------

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

/// Folds the axis into as few bands as leave room for the labels of all but the
/// narrowest tenth of the cells. Where even many bands would not do, one shows most.
void fold(Layout& layout, const std::vector<Lane>& lanes, bool names_stages,
          double room, bool symbolic) {
  // Labels with their stage are long and alike: not too tight.
  const double letter = names_stages ? kLetter : kTightLetter;
  std::vector<double> wanted;  // the scale at which the label of a cell fits
  std::vector<double> lengths;
  for (const Lane& lane : lanes) {
    for (const Cell& cell : lane.picture->rows[lane.device]) {
      double longest = 0;
      for (const Action& action : cell.actions)
        longest = std::max(longest, characters(to_text(action, names_stages)));
      wanted.push_back((longest * letter + 2) / cell.span.length());
      lengths.push_back(cell.span.length());
    }
  }
  std::sort(wanted.begin(), wanted.end());
  std::sort(lengths.begin(), lengths.end());
  const double scale = wanted[wanted.size() - 1 - wanted.size() / 10];
  const double bands = std::ceil(layout.length * scale / room - 1e-9);
  layout.bands = bands <= kMostBands ? static_cast<std::int32_t>(bands) : 1;
  layout.bands = std::max(layout.bands, 1);
  layout.per_band = layout.length / layout.bands;
  if (symbolic && layout.bands > 1) {  // ticks stay whole
    layout.per_band = std::ceil(layout.per_band);
    layout.bands =
        static_cast<std::int32_t>(std::ceil(layout.length / layout.per_band));
  }
  layout.scale =
      std::min(room / layout.per_band, kWidestCell / lengths[lengths.size() / 10]);
}

/// The smallest of 1, 2, 5, 10, 20, … times `smallest` that is at least `least`.
double nice_step(double least, double smallest) {
  double step = smallest;
  for (int i = 0; step < least; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

/// Items of a heading or legend, one after another on as many lines as it takes.
struct Item {
  std::string text;
  double x = 0;
  std::int32_t line = 0;
};

struct Paragraph {
  std::vector<Item> items;
  double width = 0;
  double height() const { return items.empty() ? 0 : kLine * (items.back().line + 1); }
};

/// `character` is the width of those of the first item, `extra` goes with each item.
Paragraph wrap(const std::vector<std::string>& texts, double room, double character,
               double extra) {
  Paragraph paragraph;
  double x = kMargin;
  std::int32_t at_line = 0;
  for (const std::string& item : texts) {
    const double size = static_cast<double>(item.size()) * character + extra;
    character = kText;
    if (x > kMargin && x + size > room) {
      x = kMargin;
      ++at_line;
    }
    paragraph.items.push_back({item, x, at_line});
    x += size;
    paragraph.width = std::max(paragraph.width, x);
  }
  return paragraph;
}

// ---- The figure
// -------------------------------------------------------------------------

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
};

constexpr std::string_view kIdleKey = "idle (bubble)";
constexpr std::string_view kTransferKey = "transfer";
constexpr std::string_view kSteadyKey = "steady state";
constexpr std::string_view kLabelKey = "2F3: stage 2, forward, micro-batch 3";
constexpr std::string_view kSliceKey = "F3.1: slice 1 of micro-batch 3";

/// What stands for a part of the legend.
enum class Swatch : std::uint8_t {
  Kind,
  InstantKind,
  Tone,
  Idle,
  Transfer,
  Steady,
  None
};

struct Key {
  std::string text;
  Swatch swatch = Swatch::None;
  ActionKind kind = ActionKind::Forward;
  std::size_t tone = 0;
};

bool is_sliced(const std::vector<Lane>& lanes) {
  for (const Lane& lane : lanes) {
    for (const Cell& cell : lane.picture->rows[lane.device]) {
      for (const Action& action : cell.actions) {
        if (action.slice > 0) return true;
      }
    }
  }
  return false;
}

bool has_joined_cells(const std::vector<Lane>& lanes) {
  return std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) {
    const std::vector<Cell>& row = lane.picture->rows[lane.device];
    return std::any_of(row.begin(), row.end(),
                       [](const Cell& cell) { return cell.actions.size() > 1; });
  });
}

class Figure {
 public:
  Figure(const Contents& contents, std::string id, double width)
      : contents_(contents), id_(std::move(id)), width_(width) {
    arrange();
  }

  std::string write() {
    open();
    for (std::int32_t band = 0; band < layout_.bands; ++band) {
      draw_axis(band);
      for (const Lane& lane : contents_.lanes) draw_lane(band, lane);
      for (const Span& span : contents_.steady) draw_steady(band, span);
      out_ += labels_;
      labels_.clear();
    }
    if (!contents_.links.empty()) {
      out_ += "<g class=\"arrows\" marker-end=\"url(#" + id_ + "-head)\">\n";
      for (const Link& link : contents_.links) draw_link(link);
      out_ += "</g>\n";
    }
    draw_legend();
    return out_ + "</svg>\n";
  }

 private:
  // Sizes, from the outside in.
  void arrange();
  void choose_scale();
  std::vector<Key> legend_keys() const;
  // Parts, each of which appends to out_.
  void open();
  void draw_axis(std::int32_t band);
  void draw_lane(std::int32_t band, const Lane& lane);
  void draw_cell(std::int32_t band, const Lane& lane, const Cell& cell);
  void draw_part(const Action& action, std::size_t tone, double x, double y,
                 double width, double height, double radius);
  void draw_label(const Action& action, double x, double y, double room);
  void draw_instant(std::int32_t band, const Lane& lane, const Instant& instant);
  std::string mark(ActionKind kind, double x, double y) const;
  void draw_steady(std::int32_t band, const Span& span);
  void draw_link(const Link& link);
  void draw_legend();
  void draw_swatch(const Key& key, double x, double y);

  std::string in_words(const Action& action) const;
  std::string tooltip(const Lane& lane, std::string_view what, const Span& span) const;

  const Contents& contents_;
  std::string id_;
  double width_;
  Layout layout_;
  bool names_stages_ = false;
  std::vector<double> lane_y_;
  Paragraph heading_;
  std::vector<Key> keys_;
  Paragraph legend_;  ///< of the texts of the keys
  std::string out_;
  std::string labels_;  ///< of the band being drawn: on top of its steady-state box
};

void Figure::arrange() {
  std::size_t label = 0;
  for (const Lane& lane : contents_.lanes) {
    label = std::max(label, lane.label.size());
    layout_.length = std::max(layout_.length, lane.picture->length);
  }
  layout_.left = kMargin + static_cast<double>(label) * kText + 8;
  choose_scale();
  layout_.gap = contents_.links.empty() ? 8 : 20;
  if (has_joined_cells(contents_.lanes)) layout_.row_height = 38;

  double y = contents_.steady.empty() ? 6 : kSteadySpace;
  for (std::size_t i = 0; i < contents_.lanes.size(); ++i) {
    const bool same =
        i > 0 && contents_.lanes[i].device == contents_.lanes[i - 1].device;
    if (i > 0) y += same ? 2 : layout_.gap;
    lane_y_.push_back(y);
    y += layout_.row_height;
  }
  layout_.band_height = y + kAxisSpace;
  heading_ = wrap(contents_.heading, width_ - kMargin, kName, 16);
  keys_ = legend_keys();
  std::vector<std::string> texts;
  texts.reserve(keys_.size());
  for (const Key& key : keys_) texts.push_back(key.text);
  legend_ = wrap(texts, width_ - kMargin, kText, 46);
  layout_.top = kMargin + heading_.height();
  width_ = std::max({layout_.x(layout_.per_band, 0) + kMargin + 6,
                     heading_.width + kMargin, legend_.width + kMargin});
}

/// Labels name the stage where that costs no further band; else the tone alone tells.
void Figure::choose_scale() {
  // The last number of the axis reaches beyond its tick.
  const double room = width_ - layout_.left - kMargin - 6;
  const Picture& picture = *contents_.lanes[0].picture;
  const double length = layout_.length;
  fold(layout_, contents_.lanes, /*names_stages=*/false, room, contents_.symbolic);
  if (!picture.names_stages) return;
  Layout wider = layout_;
  wider.length = length;
  fold(wider, contents_.lanes, /*names_stages=*/true, room, contents_.symbolic);
  names_stages_ = wider.bands <= layout_.bands || picture.tones.count() > kTones;
  if (names_stages_) layout_ = wider;
}

std::vector<Key> Figure::legend_keys() const {
  std::vector<ActionKind> kinds;
  std::vector<ActionKind> instants;
  const auto add = [](std::vector<ActionKind>& to, const std::vector<ActionKind>& of) {
    to.insert(to.end(), of.begin(), of.end());
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  for (const Lane& lane : contents_.lanes) {
    add(kinds, lane.picture->kinds);
    add(instants, lane.picture->instant_kinds);
  }
  std::vector<Key> keys;
  keys.reserve(kinds.size() + instants.size() + kTones + 5);
  for (const ActionKind kind : kinds)
    keys.push_back({std::string(kind_name(kind)), Swatch::Kind, kind});
  for (const ActionKind kind : instants) {
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    keys.push_back({std::string(kind_name(kind)), Swatch::InstantKind, kind});
  }
  const Tones& tones = contents_.lanes[0].picture->tones;
  for (std::size_t tone = 0; tones.count() > 1 && tone < tones.count(); ++tone) {
    if (tone < kTones) keys.push_back({tones.name(tone), Swatch::Tone, {}, tone});
  }
  if (names_stages_) keys.push_back({std::string(kLabelKey)});
  if (is_sliced(contents_.lanes)) keys.push_back({std::string(kSliceKey)});
  keys.push_back({std::string(kIdleKey), Swatch::Idle});
  if (!contents_.links.empty())
    keys.push_back({std::string(kTransferKey), Swatch::Transfer});
  if (!contents_.steady.empty())
    keys.push_back({std::string(kSteadyKey), Swatch::Steady});
  return keys;
}

void Figure::open() {
  const double height = layout_.y(layout_.bands) + legend_.height() + kMargin;
  const std::string size = num(std::ceil(width_)) + " " + num(std::ceil(height));
  std::string title;
  for (const std::string& part : contents_.heading) {
    if (!title.empty()) title += ", ";
    title += part;
  }
  out_ +=
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pipeline-figure\" "
      "viewBox=\"0 0 " +
      size + "\" width=\"" + num(std::ceil(width_)) + "\" height=\"" +
      num(std::ceil(height)) + "\" role=\"img\" aria-labelledby=\"" + id_ + "-title " +
      id_ + "-desc\">\n<title id=\"" + id_ + "-title\">" + xml_escaped(title) +
      "</title>\n<desc id=\"" + id_ + "-desc\">" + xml_escaped(contents_.description) +
      "</desc>\n" + style_sheet();
  out_ += "<defs>\n<pattern id=\"" + id_ +
          "-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\">" +
          line("hatch", 0, 0, 0, 6) + "</pattern>\n<marker id=\"" + id_ +
          "-head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
          "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
          "<path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker>\n</defs>\n";
  for (std::size_t i = 0; i < heading_.items.size(); ++i) {
    const Item& item = heading_.items[i];
    out_ += text(i == 0 ? "name" : "part", item.x, kMargin + 12 + kLine * item.line,
                 item.text) +
            "\n";
  }
}

void Figure::draw_axis(std::int32_t band) {
  const double y = layout_.y(band) + layout_.band_height - kAxisSpace + 9;
  const double begin = layout_.begin(band);
  const double end = layout_.end(band);
  out_ += line("axis", layout_.left, y, layout_.right(band), y) + "\n";
  out_ += text("unit", layout_.left - 12, y + 16, contents_.unit.name) + "\n";

  const double unit = contents_.unit.size;
  const double least = (contents_.symbolic ? 20 : 52) / layout_.scale;
  const double step = nice_step(least / unit, contents_.symbolic ? 1 : 1e-9) * unit;
  const auto mark = [&](double time) {
    const double x = layout_.x(time, band);
    out_ += line("axis", x, y, x, y + 4) +
            text("number", x, y + 16, number(time / unit, 6)) + "\n";
  };
  // The end of a symbolic axis is the answer to "how long": it always has its number.
  const bool marks_end = contents_.symbolic;
  const double apart = 18 / layout_.scale;
  if (marks_end && band > 0) mark(begin);
  for (double k = std::ceil(begin / step - 1e-9); k * step <= end * (1 + 1e-12); ++k) {
    const double time = k * step;
    const bool crowded = end - time < apart || (band > 0 && time - begin < apart);
    if (!marks_end || !crowded) mark(time);
  }
  if (marks_end) mark(end);
}

std::string Figure::tooltip(const Lane& lane, std::string_view what,
                            const Span& span) const {
  const double unit = contents_.unit.size;
  std::string out = "device " + number(static_cast<double>(lane.device), 0);
  if (!lane.note.empty()) out += ", " + lane.note;
  out += ": ";
  out += what;
  out +=
      ", " + number(span.start / unit, 3) + " to " + number(span.end / unit, 3) + " ";
  out += contents_.unit.name;
  return "<title>" + xml_escaped(out) + "</title>";
}

void Figure::draw_lane(std::int32_t band, const Lane& lane) {
  const auto index = static_cast<std::size_t>(&lane - contents_.lanes.data());
  const double y = layout_.y(band) + lane_y_[index];
  const double begin = layout_.begin(band);
  const double end = layout_.end(band);
  out_ +=
      text("device", layout_.left - 8, y + layout_.row_height / 2, lane.label) + "\n";
  const std::vector<Cell>& row = lane.picture->rows[lane.device];
  out_ += "<g fill=\"url(#" + id_ + "-hatch)\">\n";
  for (const Span& idle : idle_spans(row, lane.picture->length)) {
    const double from = std::max(idle.start, begin);
    const double to = std::min(idle.end, end);
    if (to - from <= 1e-9 * layout_.length) continue;
    out_ +=
        rect("idle", layout_.x(from, band) + 0.5, y + 0.5,
             std::max((to - from) * layout_.scale - 1, 0.2), layout_.row_height - 1) +
        ">" + tooltip(lane, "idle", idle) + "</rect>\n";
  }
  out_ += "</g>\n";
  for (const Cell& cell : row)
    if (cell.span.end > begin + 1e-9 * layout_.length &&
        cell.span.start < end - 1e-9 * layout_.length)
      draw_cell(band, lane, cell);
  for (const Instant& instant : lane.picture->instants[lane.device]) {
    // At a fold it stands behind what it follows.
    const double before = instant.time - 2e-9 * layout_.length;
    if (layout_.band_of(std::max(before, 0.0)) == band)
      draw_instant(band, lane, instant);
  }
}

void Figure::draw_cell(std::int32_t band, const Lane& lane, const Cell& cell) {
  const auto index = static_cast<std::size_t>(&lane - contents_.lanes.data());
  const double y = layout_.y(band) + lane_y_[index];
  const double from = layout_.x(std::max(cell.span.start, layout_.begin(band)), band);
  const double to = layout_.x(std::min(cell.span.end, layout_.end(band)), band);
  // A hair's breadth between neighbours, unless that were all.
  const double inset = to - from > 4 ? 0.5 : 0;
  const double width = to - from - 2 * inset;
  const double height = layout_.row_height / static_cast<double>(cell.actions.size());
  const bool first = cell.span.start >= layout_.begin(band) - 1e-9 * layout_.length;

  const Picture& picture = *lane.picture;
  std::string what = cell_label(cell, picture.names_stages);
  for (const Action& action : cell.actions) what += ", " + in_words(action);
  out_ += std::string("<g class=\"") + (first ? "cell" : "cell continued") + "\">" +
          tooltip(lane, what, cell.span);
  for (std::size_t part = 0; part < cell.actions.size(); ++part) {
    const Action& action = cell.actions[part];
    const double part_y = y + height * static_cast<double>(part);
    draw_part(action, picture.tones.of(action), from + inset, part_y, width, height,
              cell.actions.size() == 1 ? std::min(3.0, width / 4) : 0);
    draw_label(action, (from + to) / 2, part_y + height / 2, to - from);
  }
  if (cell.actions.size() > 1)
    out_ += rect("outline", from + inset, y, width, layout_.row_height) + "/>";
  out_ += "</g>\n";
}

/// A rectangle in the tone of its stage, with the stripes that go with that.
void Figure::draw_part(const Action& action, std::size_t tone, double x, double y,
                       double width, double height, double radius) {
  out_ += rect(css_class(action.kind, tone), x, y, width, height, radius) + "/>";
  const auto stripe = [&](double at) {
    out_ += "<path class=\"stripe\" d=\"M" + num(x + radius / 2) + " " + num(at) + "h" +
            num(std::max(width - radius, 0.1)) + "\"/>";
  };
  const std::size_t stripes = tone % kTones;
  if ((stripes & 1) != 0) stripe(y + height - 1.5);
  if ((stripes & 2) != 0) stripe(y + 1.5);
}

/// "backward of slice 1 of micro-batch 3 on stage 2, uses weights 1".
std::string Figure::in_words(const Action& action) const {
  std::string words(kind_name(action.kind));
  const bool ends_step = action.kind >= ActionKind::Reduce;
  words += ends_step ? " after " : " of ";
  if (action.slice > 0) words += "slice " + number(action.slice, 0) + " of ";
  words += "micro-batch " + number(action.micro_batch, 0) + " on stage " +
           number(action.stage, 0);
  if (contents_.versions) {
    if (const auto version = contents_.versions->of(action))
      words +=
          (ends_step ? ", makes weights " : ", uses weights ") + number(*version, 0);
  }
  return words;
}

/// The whole label, or without its stage, or the letter alone.
void Figure::draw_label(const Action& action, double x, double y, double room) {
  std::string label = to_text(action, names_stages_);
  if (characters(label) * kTightLetter > room) label = to_text(action, false);
  const double size = characters(label);
  if (size * kLetter + 2 <= room) {
    labels_ += text("letter", x, y, label) + "\n";
  } else if (size * kTightLetter <= room) {
    labels_ += text("letter tight", x, y, label) + "\n";
  } else if (kTightLetter + 1 <= room) {
    labels_ += text("letter tight", x, y, label.substr(0, 1)) + "\n";
  }
}

/// Small marks on the upper edge of the row, the last one where the next cell begins.
void Figure::draw_instant(std::int32_t band, const Lane& lane, const Instant& instant) {
  constexpr double kApart = 7;
  const auto index = static_cast<std::size_t>(&lane - contents_.lanes.data());
  std::string what;
  for (const Action& action : instant.actions)
    what += (what.empty() ? "" : ", ") + to_text(action, lane.picture->names_stages) +
            ", " + in_words(action);
  labels_ +=
      "<g class=\"instant\">" + tooltip(lane, what, {instant.time, instant.time});
  std::vector<ActionKind> kinds;
  for (const Action& action : instant.actions) {
    if (kinds.empty() || kinds.back() != action.kind) kinds.push_back(action.kind);
  }
  double x =
      layout_.x(instant.time, band) - kApart * static_cast<double>(kinds.size() - 1);
  for (const ActionKind kind : kinds) {
    labels_ += mark(kind, x, layout_.y(band) + lane_y_[index] - 2);
    x += kApart;
  }
  labels_ += "</g>\n";
}

/// A triangle; for what several devices do together a diamond, for all of them a disc.
std::string Figure::mark(ActionKind kind, double x, double y) const {
  std::string out = "<path class=\"" + css_class(kind, 0) + "\" d=\"M";
  if (kind == ActionKind::Reduce)
    return out + num(x - 4) + " " + num(y + 4) + "l4-4l4 4l-4 4z\"/>";
  if (kind == ActionKind::ReduceNorm)
    return out + num(x - 4) + " " + num(y + 4) + "a4 4 0 1 0 8 0a4 4 0 1 0-8 0z\"/>";
  return out + num(x - 4.5) + " " + num(y) + "h9l-4.5 8z\"/>";
}

void Figure::draw_steady(std::int32_t band, const Span& span) {
  const double from = std::max(span.start, layout_.begin(band));
  const double to = std::min(span.end, layout_.end(band));
  if (to - from <= 1e-9 * layout_.length) return;
  const double x = layout_.x(from, band);
  const double width = (to - from) * layout_.scale;
  const double y = layout_.y(band) + kSteadySpace - 6;
  out_ += rect("steady", x, y, width,
               lane_y_.back() + layout_.row_height - kSteadySpace + 11, 4) +
          "/>\n";
  out_ += text("steady-name", x + width / 2, y - 5, "steady state") + "\n";
}

/// An arrow leaves the end of its cell and enters the start of the next. What arrives
/// before its device is free runs on in the gap before the row:
///
///     ▆▆▆▆╲                    ▆▆▆▆╲
///          ╲▆▆▆▆                    ╲____________▆▆▆▆
void Figure::draw_link(const Link& link) {
  const double origin = contents_.lanes[0].picture->origin;
  const Span& source = contents_.timeline->spans[link.from.device][link.from.entry];
  const Span& target = contents_.timeline->spans[link.to.device][link.to.entry];
  const double start = target.start - origin;
  const std::int32_t band = layout_.band_of(start);
  const double nudge = std::clamp(
      std::min(source.length(), target.length()) * layout_.scale / 5, 1.0, 6.0);
  const bool down = link.to.device > link.from.device;
  const double height = layout_.row_height;
  double x1 = layout_.x(link.span.start - origin, band) - nudge;
  double y1 = layout_.y(band) + lane_y_[link.from.device] + (down ? height : 0);
  const double x2 = layout_.x(start, band) + nudge;
  const double y2 = layout_.y(band) + lane_y_[link.to.device] + (down ? 0 : height);
  const double wait = start - (link.span.end - origin);
  const double wait_y = y2 + (down ? -1 : 1) * layout_.gap * 0.36;
  const double wait_x =
      std::max(layout_.x(link.span.end - origin, band) + nudge, x1 + 2);
  const bool waits = wait * layout_.scale > 2 * nudge;

  // What comes from the band above enters at the left edge.
  const double edge = layout_.left - 5;
  if (x1 < edge) {
    const double until = waits ? wait_x : x2;
    const double until_y = waits ? wait_y : y2;
    y1 = until > edge ? y1 + (until_y - y1) * (edge - x1) / (until - x1) : until_y;
    x1 = edge;
  }
  const std::size_t hops =
      down ? link.to.device - link.from.device : link.from.device - link.to.device;
  out_ += std::string("<path class=\"") + (hops > 1 ? "arrow far" : "arrow") +
          "\" d=\"M" + num(x1) + " " + num(y1);
  if (waits) {
    if (wait_x > x1) out_ += "L" + num(wait_x) + " " + num(wait_y);
    out_ += "L" + num(x2 - 2 * nudge) + " " + num(wait_y);
  }
  out_ += "L" + num(x2) + " " + num(y2) + "\"/>\n";
}

void Figure::draw_legend() {
  const double top = layout_.y(layout_.bands) + kLine / 2 - 4;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Item& item = legend_.items[i];
    const double y = top + kLine * item.line;
    const bool has_swatch = keys_[i].swatch != Swatch::None;
    if (has_swatch) draw_swatch(keys_[i], item.x, y);
    out_ += text("key", item.x + (has_swatch ? 28 : 0), y, item.text) + "\n";
  }
}

void Figure::draw_swatch(const Key& key, double x, double y) {
  switch (key.swatch) {
    case Swatch::Kind:
      out_ += rect(css_class(key.kind), x, y - 8, 22, 16, 3) + "/>" +
              text("letter", x + 11, y, to_text(key.kind));
      return;
    case Swatch::InstantKind:
      out_ += "<g class=\"instant\">" + mark(key.kind, x + 11, y - 4) + "</g>";
      return;
    case Swatch::Tone:
      draw_part({}, key.tone, x, y - 8, 22, 16, 3);
      return;
    case Swatch::Idle:
      out_ += "<g fill=\"url(#" + id_ + "-hatch)\">" + rect("idle", x, y - 8, 22, 16) +
              "/></g>";
      return;
    case Swatch::Transfer:
      out_ += "<path class=\"arrow\" marker-end=\"url(#" + id_ + "-head)\" d=\"M" +
              num(x + 2) + " " + num(y - 6) + "L" + num(x + 20) + " " + num(y + 6) +
              "\"/>";
      return;
    case Swatch::Steady:
      out_ += rect("steady", x + 1, y - 8, 21, 16, 3) + "/>";
      return;
    case Swatch::None:
      return;
  }
}

// ---- From schedule and timeline to contents
// ------------------------------------------------

bool is_id(std::string_view id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_';
  });
}

std::string figure_id(const Schedule& schedule, const SvgStyle& style) {
  if (!style.id.empty()) return style.id;
  std::string id = "pf-";
  for (const char c : schedule.name.substr(0, 40))
    id += is_id(std::string_view(&c, 1)) ? c : '-';
  return id + "-" + number(schedule.devices(), 0) + "-" +
         number(schedule.micro_batches, 0);
}

Expected<Picture> svg_picture(const Schedule& schedule, const Timeline& timeline,
                              const SvgStyle& style) {
  if (style.width < kNarrowest || style.width > kWidest)
    return refuse("a figure " + number(style.width, 0) + " pixels wide",
                  "ask for " + number(kNarrowest, 0) + " to " + number(kWidest, 0));
  if (!is_id(style.id))
    return refuse("'" + clean(style.id) + "' cannot start an id",
                  "use letters, digits, '-' and '_'");
  return make_picture(schedule, timeline, kMostEntries, "an SVG figure");
}

std::vector<std::string> heading(const Schedule& schedule) {
  std::vector<std::string> parts;
  parts.push_back(clean(schedule.name.empty() ? "schedule" : schedule.name));
  parts.push_back(counted(schedule.devices(), "device"));
  if (schedule.stages() != schedule.devices())
    parts.push_back(counted(schedule.stages(), "stage"));
  if (schedule.placement.copies() > 1) parts.emplace_back("2 copies of the weights");
  parts.push_back(counted(schedule.micro_batches, "micro-batch"));
  if (schedule.steps > 1) parts.push_back(counted(schedule.steps, "step"));
  return parts;
}

/// Says in words what the picture shows.
std::string busy_times(const Picture& picture, const TimeUnit& unit) {
  constexpr std::size_t kMostDevices = 16;
  std::string out;
  for (std::size_t d = 0; d < std::min(picture.rows.size(), kMostDevices); ++d) {
    double idle = 0;
    for (const Span& span : idle_spans(picture.rows[d], picture.length))
      idle += span.length();
    out += " Device " + number(static_cast<double>(d), 0) + " is busy for " +
           unit.with_name(picture.length - idle) + " and idle for " +
           unit.with_name(idle) + ".";
  }
  return out;
}

}  // namespace

Expected<std::string> draw_svg(const Schedule& schedule, const Timeline& timeline,
                               const SvgStyle& style) {
  const auto picture = svg_picture(schedule, timeline, style);
  if (!picture) return tl::unexpected<Error>(picture.error());
  Contents contents;
  contents.unit = time_unit(timeline.level, picture->length);
  contents.symbolic = timeline.level == Level::Symbolic;
  contents.heading = heading(schedule);
  contents.heading.push_back(contents.unit.with_name(picture->length));
  if (!contents.symbolic) contents.heading.emplace_back(to_text(timeline.level));
  contents.description =
      "A row a device, time from left to right." + busy_times(*picture, contents.unit);
  for (std::size_t d = 0; d < picture->rows.size(); ++d)
    contents.lanes.push_back(
        {"device " + number(static_cast<double>(d), 0), "", &*picture, d});
  contents.steady = steady_states(schedule, timeline);
  for (Span& span : contents.steady) {
    span.start -= picture->origin;
    span.end -= picture->origin;
  }
  if (schedule.weights != WeightPolicy::Synchronous)
    contents.versions = weight_versions(schedule);
  if (style.transfers) contents.links = find_links(schedule, timeline);
  contents.timeline = &timeline;
  return Figure(contents, figure_id(schedule, style), style.width).write();
}

Expected<std::string> draw_comparison_svg(const Schedule& schedule,
                                          const Timeline& predicted,
                                          const Timeline& measured,
                                          const SvgStyle& style) {
  const auto above = svg_picture(schedule, predicted, style);
  if (!above) return tl::unexpected<Error>(above.error());
  const auto below = svg_picture(schedule, measured, style);
  if (!below) return tl::unexpected<Error>(below.error());
  Contents contents;
  contents.unit = time_unit(measured.level, std::max(above->length, below->length));
  contents.symbolic = measured.level == Level::Symbolic;
  contents.heading = heading(schedule);
  contents.heading.push_back("predicted " + contents.unit.with_name(above->length) +
                             " (" + std::string(to_text(predicted.level)) + ")");
  contents.heading.push_back("measured " + contents.unit.with_name(below->length) +
                             " (" + std::string(to_text(measured.level)) + ")");
  contents.heading.push_back("ratio " + number(below->length / above->length, 3));
  contents.description =
      "Two rows a device, predicted above measured, time from left to right. "
      "Measured:" +
      busy_times(*below, contents.unit);
  for (std::size_t d = 0; d < above->rows.size(); ++d) {
    contents.lanes.push_back(
        {"device " + number(static_cast<double>(d), 0) + " predicted", "predicted",
         &*above, d});
    contents.lanes.push_back({"measured", "measured", &*below, d});
  }
  return Figure(contents, figure_id(schedule, style), style.width).write();
}

}  // namespace pipeline
