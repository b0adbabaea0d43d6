// The parts of a figure that a page draws again and again: few elements, whatever the
// number of cells. A row of 128 micro-batches is one path for each kind in it:
//
//     M12 40v22h3v-22z m9 0v22h3v-22z …
#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/text.hpp"
#include "timeline/svg_elements.hpp"
#include "timeline/svg_figure.hpp"
#include "timeline/svg_style.hpp"

namespace pipeline::svg {
namespace {

/// In hundredths of a unit, so that steps from place to place add up exactly.
using Hundredths = std::int64_t;

Hundredths hundredths(double length) { return std::llround(length * 100); }

std::string whole(Hundredths size) {
  char buffer[20];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, size).ptr};
}

/// ".5", "-12.25": no more characters than a path needs.
std::string num(Hundredths length) {
  std::string text = length < 0 ? "-" : "";
  const Hundredths size = std::abs(length);
  if (size >= 100 || size == 0) text += whole(size / 100);
  if (size % 100 == 0) return text;
  text += '.';
  text += static_cast<char>('0' + size / 10 % 10);
  if (size % 10 != 0) text += static_cast<char>('0' + size % 10);
  return text;
}

/// Stretches of one row, from left to right. Touching ones that are thin are one.
class Runs {
 public:
  void add(double from, double to) {
    constexpr Hundredths kThin = 200;
    const Hundredths begin = hundredths(from);
    const Hundredths end = std::max(hundredths(to), begin + 1);
    const bool touches = !runs_.empty() && begin <= runs_.back().end;
    if (touches && end - begin < kThin) {
      runs_.back().end = std::max(runs_.back().end, end);
    } else {
      runs_.push_back({begin, end});
    }
  }

  /// The data of a path: a rectangle for each.
  std::string boxes(double y, double height) const {
    const std::string down = "v" + num(hundredths(height));
    const std::string up = "v-" + num(hundredths(height)) + "z";
    std::string data;
    Hundredths at = 0;
    for (const Run& run : runs_) {
      move(data, run.begin, at, y);
      data += down;
      data += "h" + num(run.end - run.begin);
      data += up;
      at = run.begin;
    }
    return data;
  }

  /// The same with a line for each.
  std::string lines(double y) const {
    std::string data;
    Hundredths at = 0;
    for (const Run& run : runs_) {
      move(data, run.begin, at, y);
      data += "h" + num(run.end - run.begin);
      at = run.end;
    }
    return data;
  }

 private:
  struct Run {
    Hundredths begin = 0;
    Hundredths end = 0;
  };

  static void move(std::string& data, Hundredths to, Hundredths from, double y) {
    data +=
        data.empty() ? "M" + num(to) + " " + svg::num(y) : "m" + num(to - from) + " 0";
  }

  std::vector<Run> runs_;
};

/// What looks the same: a kind in a tone, in one of the halves of a cell.
struct Look {
  ActionKind kind = ActionKind::Forward;
  std::size_t tone = 0;
  std::size_t part = 0;
  std::size_t parts = 1;

  auto operator<=>(const Look&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Letters at one height, each at its own x.
struct Letters {
  std::string text;
  std::string x;

  void add(std::string_view letter, double at) {
    if (!x.empty()) x += ' ';
    x += svg::num(at);
    text += letter;
  }
  std::string at(double y) const {
    return "<text class=\"letter tight\" x=\"" + x + "\" y=\"" + svg::num(y) + "\">" +
           text + "</text>\n";
  }
};

/// A triangle at the end of a line.
std::string head_of(const Arrow& arrow) {
  constexpr double kLength = 6.1;
  constexpr double kHalf = 3;
  const Arrow::Point tip = arrow.points.back();
  const Arrow::Point from = arrow.points[arrow.points.size() - 2];
  const double dx = tip.x - from.x;
  const double dy = tip.y - from.y;
  const double length = std::sqrt(dx * dx + dy * dy);
  if (length <= 0) return "";
  const double ux = dx / length;
  const double uy = dy / length;
  const double x = tip.x - ux * kLength;
  const double y = tip.y - uy * kLength;
  return "M" + svg::num(tip.x) + " " + svg::num(tip.y) + "L" +
         svg::num(x - uy * kHalf) + " " + svg::num(y + ux * kHalf) + "L" +
         svg::num(x + uy * kHalf) + " " + svg::num(y - ux * kHalf) + "z";
}

/// How far a cell keeps from its neighbours on each side: not, where that were all.
double inset_of(double width) { return width > 4 ? 0.5 : width > 2 ? 0.25 : 0; }

}  // namespace

void Figure::draw_live_lane(const Lane& lane) {
  const double y = lane_y(0, lane);
  out_ +=
      text("device", layout_.left - 8, y + layout_.row_height / 2, lane.label) + "\n";
  draw_live_cells(lane, y);
  draw_live_instants(lane, y);
}

/// Where a cell begins and ends. One that is too thin to be seen takes of the idle time
/// beside it, never of its neighbours.
Span Figure::visible_span(const std::vector<Cell>& row, std::size_t index) const {
  constexpr double kThinnest = 0.5;
  Span span{layout_.x(row[index].span.start, 0), layout_.x(row[index].span.end, 0)};
  if (span.length() >= kThinnest) return span;
  const double before = index > 0 ? layout_.x(row[index - 1].span.end, 0) : span.start;
  const double after = index + 1 < row.size() ? layout_.x(row[index + 1].span.start, 0)
                                              : span.start + kThinnest;
  span.end = std::max(span.end, std::min(span.start + kThinnest, after));
  span.start = std::min(span.start, std::max(span.end - kThinnest, before));
  return span;
}

/// Cells with a label are drawn each by itself, the others together.
void Figure::draw_live_cells(const Lane& lane, double y) {
  std::map<Look, Runs> runs;
  std::map<Look, Letters> letters;  // of those that have room for no more
  const std::vector<Cell>& row = lane.picture->rows[lane.device];
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Cell& cell = row[i];
    if (draw_labelled_cell(lane, cell, y)) continue;
    const auto [from, to] = visible_span(row, i);
    const double inset = inset_of(to - from);
    for (std::size_t part = 0; part < cell.actions.size(); ++part) {
      const Action& action = cell.actions[part];
      const Look look{action.kind, lane.picture->tones.of(action) % kTones, part,
                      cell.actions.size()};
      runs[look].add(from + inset, to - inset);
      if (kTightLetter + 1 > to - from) continue;
      letters[{.part = part, .parts = look.parts}].add(
          to_text(action, false).substr(0, 1), (from + to) / 2);
    }
  }
  for (const auto& [look, of_look] : runs) {
    const double height = layout_.row_height / static_cast<double>(look.parts);
    const double top = y + height * static_cast<double>(look.part);
    out_ += path(css_class(look.kind, look.tone), of_look.boxes(top, height)) + "\n";
    if ((look.tone & 1) != 0)
      out_ += path("stripe", of_look.lines(top + height - 1.5)) + "\n";
    if ((look.tone & 2) != 0) out_ += path("stripe", of_look.lines(top + 1.5)) + "\n";
  }
  for (const auto& [look, of_look] : letters) {
    const double height = layout_.row_height / static_cast<double>(look.parts);
    labels_ += of_look.at(y + height * (static_cast<double>(look.part) + 0.5));
  }
}

/// False, and nothing done, where there is no room for the labels of all its parts.
bool Figure::draw_labelled_cell(const Lane& lane, const Cell& cell, double y) {
  const double from = layout_.x(cell.span.start, 0);
  const double to = layout_.x(cell.span.end, 0);
  for (const Action& action : cell.actions) {
    if (characters(to_text(action, false)) * kTightLetter > to - from) return false;
  }
  const double inset = inset_of(to - from);
  const double width = to - from - 2 * inset;
  const double height = layout_.row_height / static_cast<double>(cell.actions.size());
  for (std::size_t part = 0; part < cell.actions.size(); ++part) {
    const Action& action = cell.actions[part];
    const double part_y = y + height * static_cast<double>(part);
    draw_part(action, lane.picture->tones.of(action), from + inset, part_y, width,
              height, cell.actions.size() == 1 ? 3 : 0);
    draw_label(action, (from + to) / 2, part_y + height / 2, to - from);
  }
  if (cell.actions.size() > 1)
    out_ += rect("outline", from + inset, y, width, layout_.row_height) + "/>";
  out_ += "\n";
  return true;
}

/// Marks that would cover each other by more than half are one.
void Figure::draw_live_instants(const Lane& lane, double y) {
  constexpr double kApart = 7;
  constexpr double kHalf = 4.5;
  struct Marks {
    std::string data;
    double last = -kHalf;
  };
  std::map<ActionKind, Marks> marks;
  for (const Instant& instant : lane.picture->instants[lane.device]) {
    const std::vector<ActionKind> kinds = kinds_of(instant);
    double x =
        layout_.x(instant.time, 0) - kApart * (static_cast<double>(kinds.size()) - 1);
    for (const ActionKind kind : kinds) {
      Marks& of_kind = marks[kind];
      if (x - of_kind.last >= kHalf) {
        of_kind.data += mark(kind, x, y - 2);
        of_kind.last = x;
      }
      x += kApart;
    }
  }
  for (const auto& [kind, of_kind] : marks) {
    labels_ +=
        "<g class=\"instant\">" + path(css_class(kind, 0), of_kind.data) + "</g>\n";
  }
}

/// All bubbles are one element, below the cells.
void Figure::draw_live_idle() {
  std::string data;
  for (const Lane& lane : contents_.lanes) {
    Runs runs;
    for (const Span& idle :
         idle_spans(lane.picture->rows[lane.device], lane.picture->length)) {
      const double from = layout_.x(idle.start, 0) + 0.5;
      const double to = layout_.x(idle.end, 0) - 0.5;
      if (to > from) runs.add(from, to);  // else the gap itself is what there is to see
    }
    data += runs.boxes(lane_y(0, lane) + 0.5, layout_.row_height - 1);
  }
  if (data.empty()) return;
  out_ += "<g fill=\"url(#" + id_ + "-hatch)\">" + path("idle", data) + "</g>\n";
}

void Figure::draw_live_links() {
  std::string near;
  std::string far;
  std::string heads;
  for (const Link& link : contents_.links) {
    const Arrow arrow = arrow_of(link);
    (arrow.far ? far : near) += way_of(arrow);
    heads += head_of(arrow);
  }
  out_ += "<g class=\"arrows\">\n";
  if (!near.empty()) out_ += path("arrow", near) + "\n";
  if (!far.empty()) out_ += path("arrow far", far) + "\n";
  out_ += path("head", heads) + "\n</g>\n";
}

}  // namespace pipeline::svg
