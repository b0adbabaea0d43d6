#include "timeline/svg_figure.hpp"

#include <cmath>

#include "schedule/text.hpp"
#include "timeline/svg_elements.hpp"
#include "timeline/svg_style.hpp"

namespace pipeline::svg {
namespace {

constexpr std::int32_t kMostBands = 8;

// See svg_elements.hpp on lengths.
constexpr double kMargin = 10;
constexpr double kText = 6.9;   // a character of other text
constexpr double kDigit = 6.2;  // of the numbers at the axis
constexpr double kName = 9;     // a character of the name, 14 px bold
constexpr double kWidestCell = 52;
constexpr double kLine = 22;  // of the heading and the legend
constexpr double kSteadySpace = 22;
constexpr double kAxisSpace = 40;

/// The scale at which the labels of all but the narrowest tenth of the cells fit.
double scale_for_labels(const std::vector<Lane>& lanes, bool names_stages) {
  // Labels with their stage are long and alike: not too tight.
  const double letter = names_stages ? kLetter : kTightLetter;
  std::vector<double> wanted;
  for (const Lane& lane : lanes) {
    for (const Cell& cell : lane.picture->rows[lane.device]) {
      double longest = 0;
      for (const Action& action : cell.actions)
        longest = std::max(longest, characters(to_text(action, names_stages)));
      wanted.push_back((longest * letter + 2) / cell.span.length());
    }
  }
  if (wanted.empty()) return 0;
  std::sort(wanted.begin(), wanted.end());
  return wanted[wanted.size() - 1 - wanted.size() / 10];
}

/// A tenth of the cells is shorter.
double length_of_short_cells(const std::vector<Lane>& lanes) {
  std::vector<double> lengths;
  for (const Lane& lane : lanes) {
    for (const Cell& cell : lane.picture->rows[lane.device])
      lengths.push_back(cell.span.length());
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths[lengths.size() / 10];
}

/// Folds the axis into as few bands as leave room for labels. Where even many bands
/// would not do, one shows most.
void fold(Layout& layout, const std::vector<Lane>& lanes, bool names_stages,
          double room, bool symbolic) {
  const double scale = scale_for_labels(lanes, names_stages);
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
      std::min(room / layout.per_band, kWidestCell / length_of_short_cells(lanes));
}

/// The smallest of 1, 2, 5, 10, 20, … times `smallest` that is at least `least`.
double nice_step(double least, double smallest) {
  double step = smallest;
  for (int i = 0; step < least; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

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

constexpr std::string_view kIdleKey = "idle (bubble)";
constexpr std::string_view kTransferKey = "transfer";
constexpr std::string_view kSteadyKey = "steady state";
constexpr std::string_view kLabelKey = "2F3: stage 2, forward, micro-batch 3";
constexpr std::string_view kSliceKey = "F3.1: slice 1 of micro-batch 3";

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

}  // namespace

double Paragraph::height() const {
  return items.empty() ? 0 : kLine * (items.back().line + 1);
}

std::string Figure::write() {
  open();
  for (std::int32_t band = 0; band < layout_.bands; ++band) {
    draw_axis(band);
    if (contents_.live) draw_live_idle();
    for (const Lane& lane : contents_.lanes) {
      if (contents_.live) {
        draw_live_lane(lane);
      } else {
        draw_lane(band, lane);
      }
    }
    for (const Span& span : contents_.steady) draw_steady(band, span);
    out_ += labels_;
    labels_.clear();
  }
  if (draws_arrows_ && contents_.live) {
    draw_live_links();
  } else if (draws_arrows_) {
    out_ += "<g class=\"arrows\" marker-end=\"url(#" + id_ + "-head)\">\n";
    for (const Link& link : contents_.links) draw_link(link);
    out_ += "</g>\n";
  }
  draw_legend();
  return std::move(out_) + "</svg>\n";
}

FigureFrame Figure::frame() const {
  const double origin = contents_.lanes[0].picture->origin;
  FigureFrame frame{.x = layout_.x(-origin, 0),
                    .scale = layout_.scale,
                    .width = std::ceil(width_),
                    .height = std::ceil(height())};
  for (const Lane& lane : contents_.lanes)
    frame.rows.push_back({lane_y(0, lane), layout_.row_height});
  return frame;
}

void Figure::arrange() {
  std::size_t label = 0;
  for (const Lane& lane : contents_.lanes) {
    label = std::max(label, lane.label.size());
    layout_.length = std::max(layout_.length, lane.picture->length);
  }
  layout_.length = std::max(layout_.length, contents_.until);
  // Room for two digits, so that figures of few and of many devices share an axis.
  if (contents_.until > 0)
    label = std::max(label, std::string_view("device 10").size());
  layout_.left = kMargin + static_cast<double>(label) * kText + 8;
  if (contents_.live) {
    choose_live_scale();
  } else {
    choose_scale();
  }
  draws_arrows_ = has_room_for_arrows();
  choose_row_height();

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
  if (contents_.live) return;
  width_ = std::max({layout_.x(layout_.per_band, 0) + kMargin + 6,
                     heading_.width + kMargin, legend_.width + kMargin});
}

/// A live figure of many devices has low rows, so that it fits a screen.
void Figure::choose_row_height() {
  const bool joined = has_joined_cells(contents_.lanes);
  layout_.row_height = joined ? 38 : 30;
  layout_.gap = draws_arrows_ ? 20 : 8;
  if (!contents_.live || contents_.lanes.size() <= 8) return;
  const bool many = contents_.lanes.size() > 16;
  layout_.row_height = many ? (joined ? 24 : 16) : (joined ? 30 : 22);
  layout_.gap = (draws_arrows_ ? 12 : 0) + (many ? 3 : 5);
}

double Figure::height() const {
  return layout_.y(layout_.bands) + legend_.height() + kMargin;
}

double Figure::lane_y(std::int32_t band, const Lane& lane) const {
  const auto index = static_cast<std::size_t>(&lane - contents_.lanes.data());
  return layout_.y(band) + lane_y_[index];
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

/// One band as wide as there is room for.
void Figure::choose_live_scale() {
  const double room = width_ - layout_.left - kMargin - 6;
  const Picture& picture = *contents_.lanes[0].picture;
  layout_.per_band = layout_.length;
  layout_.scale = room / layout_.length;
  names_stages_ =
      picture.names_stages &&
      (picture.tones.count() > kTones ||
       scale_for_labels(contents_.lanes, /*names_stages=*/true) <= layout_.scale);
}

/// Where a folded figure has labels it has room for arrows too. In a live one they must
/// stand apart in the gaps between the rows.
bool Figure::has_room_for_arrows() const {
  constexpr double kApart = 12;
  if (contents_.links.empty() || !contents_.live) return !contents_.links.empty();
  const double gaps = static_cast<double>(contents_.lanes.size()) - 1;
  return static_cast<double>(contents_.links.size()) * kApart <=
         gaps * (layout_.right(0) - layout_.left);
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
  if (draws_arrows_) keys.push_back({std::string(kTransferKey), Swatch::Transfer});
  if (!contents_.steady.empty())
    keys.push_back({std::string(kSteadyKey), Swatch::Steady});
  return keys;
}

void Figure::open() {
  const std::string width = num(std::ceil(width_));
  const std::string height = num(std::ceil(this->height()));
  std::string title;
  for (const std::string& part : contents_.heading) {
    if (!title.empty()) title += ", ";
    title += part;
  }
  out_ +=
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pipeline-figure\" "
      "viewBox=\"0 0 " +
      width + " " + height + "\" width=\"" + width + "\" height=\"" + height +
      "\" role=\"img\" aria-labelledby=\"" + id_ + "-title " + id_ +
      "-desc\">\n<title id=\"" + id_ + "-title\">" + xml_escaped(title) +
      "</title>\n<desc id=\"" + id_ + "-desc\">" + xml_escaped(contents_.description) +
      "</desc>\n";
  if (!contents_.live) out_ += style_sheet();
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
  // In a folded figure symbolic times have two digits, mostly.
  const double digits =
      contents_.live ? static_cast<double>(number(end / unit, 6).size()) * kDigit : 0;
  const double least =
      std::max(contents_.symbolic ? 20.0 : 52.0, digits + 9) / layout_.scale;
  const double step = nice_step(least / unit, contents_.symbolic ? 1 : 1e-9) * unit;
  const auto mark = [&](double time) {
    const double x = layout_.x(time, band);
    out_ += line("axis", x, y, x, y + 4) +
            text("number", x, y + 16, number(time / unit, 6)) + "\n";
  };
  // The end of a symbolic axis is the answer to "how long": it always has its number.
  const bool marks_end = contents_.symbolic;
  const double apart = std::max(18.0, digits + 4) / layout_.scale;
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
  const double y = lane_y(band, lane);
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
  const double y = lane_y(band, lane);
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

std::vector<ActionKind> kinds_of(const Instant& instant) {
  std::vector<ActionKind> kinds;
  for (const Action& action : instant.actions) {
    if (kinds.empty() || kinds.back() != action.kind) kinds.push_back(action.kind);
  }
  return kinds;
}

/// Small marks on the upper edge of the row, the last one where the next cell begins.
void Figure::draw_instant(std::int32_t band, const Lane& lane, const Instant& instant) {
  constexpr double kApart = 7;
  std::string what;
  for (const Action& action : instant.actions)
    what += (what.empty() ? "" : ", ") + to_text(action, lane.picture->names_stages) +
            ", " + in_words(action);
  labels_ +=
      "<g class=\"instant\">" + tooltip(lane, what, {instant.time, instant.time});
  const std::vector<ActionKind> kinds = kinds_of(instant);
  double x =
      layout_.x(instant.time, band) - kApart * static_cast<double>(kinds.size() - 1);
  for (const ActionKind kind : kinds) {
    labels_ += path(css_class(kind, 0), mark(kind, x, lane_y(band, lane) - 2));
    x += kApart;
  }
  labels_ += "</g>\n";
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
Arrow Figure::arrow_of(const Link& link) const {
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
  Arrow arrow{{{x1, y1}}, hops > 1};
  if (waits) {
    if (wait_x > x1) arrow.points.push_back({wait_x, wait_y});
    arrow.points.push_back({x2 - 2 * nudge, wait_y});
  }
  arrow.points.push_back({x2, y2});
  return arrow;
}

std::string way_of(const Arrow& arrow) {
  std::string way;
  for (const Arrow::Point& point : arrow.points)
    way += (way.empty() ? "M" : "L") + num(point.x) + " " + num(point.y);
  return way;
}

void Figure::draw_link(const Link& link) {
  const Arrow arrow = arrow_of(link);
  out_ += path(arrow.far ? "arrow far" : "arrow", way_of(arrow)) + "\n";
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
      out_ += "<g class=\"instant\">" +
              path(css_class(key.kind, 0), mark(key.kind, x + 11, y - 4)) + "</g>";
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

}  // namespace pipeline::svg
