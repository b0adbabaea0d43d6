#include "timeline/draw_text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "schedule/text.hpp"
#include "timeline/picture.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostEntries = 1'000'000;
constexpr std::int32_t kMostDevices = 256;
constexpr std::int32_t kNarrowest = 40;
constexpr std::int32_t kWidest = 1000;
constexpr std::int32_t kMostBands = 6;

/// The characters that a drawing is made of.
struct Pen {
  char32_t idle, run, bar, line, top_left, top_mark, top_right, left, mark, right;
  std::string_view separator;
};
constexpr Pen kUnicode = {U'·', U'─', U'│', U'─', U'┌', U'┬',
                          U'┐', U'└', U'┴', U'┘', " · "};
constexpr Pen kAscii = {U'.', U'-', U'|', U'-', U'+', U'+',
                        U'+', U'+', U'+', U'+', ", "};

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string utf8(const std::u32string& line) {
  std::string out;
  for (const char32_t c : line) append_utf8(out, c);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// Columns that `text` takes, counting code points.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// ---- The time axis ------------------------------------------------------------------

/// How time becomes columns. Whole ticks have `tick_columns` each; otherwise that is 0
/// and times are rounded to columns. Boxed ticks end in a bar of their own:
///
///     boxed      │ F0 │ F1 │ B0      │        w = label + 3, the bar included
///     spaced     │F0 F1 B0─── ·  ·  │         w = label + 1 or 2
///     tight      │F0F1B0──· · │               w = label
struct Axis {
  std::int32_t tick_columns = 0;
  bool boxed = false;
  std::int32_t columns = 0;   ///< of the whole axis
  std::int32_t per_band = 0;  ///< before it is folded
  double time_per_column = 1;

  std::int32_t column_of(double time) const {
    return static_cast<std::int32_t>(std::llround(time / time_per_column));
  }
  std::int32_t bands() const { return (columns + per_band - 1) / per_band; }
};

/// A row of the drawing: a device of one of the pictures.
struct Lane {
  std::string label;
  const Picture* picture = nullptr;
  std::size_t device = 0;
};

/// What decides about the axis.
struct Contents {
  double length = 0;
  bool whole_ticks = true;  ///< every cell starts and ends at a whole tick
  std::int32_t longest_label = 1;
  double label_per_tick = 1;  ///< columns that a tick needs, so that each label fits
  bool needs_blanks = false;  ///< labels begin with a digit: "0F0" beside "0F1"
  double short_cell = 0;      ///< a tenth of the cells are no longer than this
};

bool is_whole(double time) { return std::fabs(time - std::round(time)) < 1e-9; }

Contents contents_of(const std::vector<Lane>& lanes, bool symbolic) {
  Contents contents;
  contents.whole_ticks = symbolic;
  std::vector<double> lengths;
  for (const Lane& lane : lanes) {
    contents.needs_blanks = contents.needs_blanks || lane.picture->names_stages;
    contents.length = std::max(contents.length, lane.picture->length);
    for (const Cell& cell : lane.picture->rows[lane.device]) {
      lengths.push_back(cell.span.length());
      contents.whole_ticks =
          contents.whole_ticks && is_whole(cell.span.start) && is_whole(cell.span.end);
      const auto label = static_cast<std::int32_t>(
          columns_of(cell_label(cell, lane.picture->names_stages)));
      contents.longest_label = std::max(contents.longest_label, label);
      contents.label_per_tick = std::max(contents.label_per_tick,
                                         std::ceil(label / cell.span.length() - 1e-9));
    }
  }
  std::sort(lengths.begin(), lengths.end());
  contents.short_cell = lengths[lengths.size() / 10];
  return contents;
}

/// `room`: columns between the frame's two bars.
Axis tick_axis(const Contents& contents, std::int32_t room) {
  Axis axis;
  const auto ticks = static_cast<std::int32_t>(std::lround(contents.length));
  const auto choose = [&](std::int32_t width, std::int32_t per_band) {
    axis.tick_columns = width;
    axis.time_per_column = 1.0 / width;
    axis.columns = ticks * width;
    axis.per_band = std::min(per_band, axis.columns);
    return axis;
  };
  if (contents.label_per_tick > room) return {};
  const std::int32_t blank = contents.needs_blanks ? 1 : 0;
  const auto label = static_cast<std::int32_t>(contents.label_per_tick);
  axis.boxed = ticks * (label + 3) <= room + 1;
  for (std::int32_t width = label + 3; width >= label + blank; --width)
    if (ticks * width <= room + (axis.boxed ? 1 : 0)) return choose(width, room + 1);
  // Folded, into bands of about the same length, as wide as then fits.
  for (std::int32_t width = label + 1; width >= label + blank && width <= room;
       --width) {
    const std::int32_t bands = (ticks + room / width - 1) / (room / width);
    if (bands > kMostBands) continue;
    const std::int32_t ticks_per_band = (ticks + bands - 1) / bands;
    const std::int32_t widest = std::min(label + 2, room / ticks_per_band);
    return choose(widest, ticks_per_band * widest);
  }
  return {};
}

Axis rounded_axis(const Contents& contents, std::int32_t room) {
  const double wanted =
      contents.longest_label * contents.length / contents.short_cell / room;
  const std::int32_t bands =
      wanted <= kMostBands ? static_cast<std::int32_t>(std::ceil(wanted)) : 1;
  Axis axis;
  axis.per_band = room;
  axis.columns = room * std::max(bands, 1);
  axis.time_per_column = contents.length / axis.columns;
  return axis;
}

Axis choose_axis(const Contents& contents, std::int32_t room) {
  if (contents.whole_ticks && contents.length <= kWidest * kMostBands) {
    const Axis axis = tick_axis(contents, room);
    if (axis.columns > 0) return axis;
  }
  return rounded_axis(contents, room);
}

// ---- Cells on a strip of characters
// --------------------------------------------------

/// A device's whole row, before it is folded. `paint` is 0, or names a colour, and with
/// `kUnderlined` that of a further stage or copy on the same device.
struct Strip {
  std::u32string glyphs;
  std::vector<std::uint8_t> paint;
};

/// What had to be left out.
struct Losses {
  std::size_t unlabelled = 0;
  std::size_t unseen = 0;
};

constexpr std::uint8_t kUnderlined = 0x80;

std::uint8_t paint_of(const Action& action, const Tones& tones) {
  const int colour = 1 + 2 * static_cast<int>(action.kind) + (action.micro_batch & 1);
  return static_cast<std::uint8_t>(colour |
                                   (tones.of(action) % 2 == 1 ? kUnderlined : 0));
}

Strip idle_strip(const Axis& axis, const Pen& pen, double length) {
  const auto columns = static_cast<std::size_t>(axis.columns);
  Strip strip{std::u32string(columns, U' '), std::vector<std::uint8_t>(columns)};
  const std::int32_t end = std::min(axis.columns, axis.column_of(length));
  const std::int32_t width = axis.tick_columns;
  for (std::int32_t c = 0; c < end; ++c) {
    const std::int32_t within = width == 0 ? 0 : c % width;
    const bool dot = axis.boxed ? within > 0 && within < width - 2 : within == 0;
    if (dot) strip.glyphs[static_cast<std::size_t>(c)] = pen.idle;
    if (axis.boxed && within == width - 1)
      strip.glyphs[static_cast<std::size_t>(c)] = pen.bar;
  }
  return strip;
}

/// The label, or its letter alone where there is no room.
std::string fitted_label(const Cell& cell, bool names_stages, std::int32_t columns,
                         Losses& losses) {
  std::string label = cell_label(cell, names_stages);
  if (static_cast<std::int32_t>(label.size()) <= columns) return label;
  ++losses.unlabelled;
  return std::string(to_text(cell.actions[0].kind).substr(0, 1));
}

void put_cell(Strip& strip, const Cell& cell, const Picture& picture, const Axis& axis,
              const Pen& pen, Losses& losses) {
  const std::int32_t begin = axis.column_of(cell.span.start);
  const std::int32_t end = std::min(axis.columns, axis.column_of(cell.span.end));
  if (end <= begin) {
    ++losses.unseen;
    return;
  }
  std::int32_t inner_end = axis.boxed ? end - 1 : end;  // before the bar
  const std::string label =
      fitted_label(cell, picture.names_stages, inner_end - begin, losses);
  const auto label_columns = static_cast<std::int32_t>(label.size());
  std::int32_t label_at =
      axis.boxed ? begin + (inner_end - begin - label_columns) / 2 : begin;
  // A label is never torn between two bands.
  const std::int32_t fold = (begin / axis.per_band + 1) * axis.per_band;
  if (label_at < fold && label_at + label_columns > fold && end - fold >= label_columns)
    label_at = fold;
  // A blank keeps the next cell apart where there is room for one.
  if (!axis.boxed && inner_end > label_at + label_columns) --inner_end;

  const auto actions = static_cast<std::int32_t>(cell.actions.size());
  for (std::int32_t c = begin; c < end; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const bool in_label = c >= label_at && c < label_at + label_columns;
    strip.glyphs[at] =
        in_label ? static_cast<char32_t>(label[static_cast<std::size_t>(c - label_at)])
        : c >= inner_end ? (axis.boxed ? pen.bar : U' ')
        : axis.boxed     ? U' '
                         : pen.run;
    const std::int32_t part =
        std::min(actions - 1, (c - begin) * actions / std::max(1, inner_end - begin));
    strip.paint[at] =
        c < inner_end
            ? paint_of(cell.actions[static_cast<std::size_t>(part)], picture.tones)
            : std::uint8_t{0};
  }
}

// ---- Bands --------------------------------------------------------------------------

/// ANSI colours of the 256-colour cube, an even and an odd micro-batch a kind, so that
/// neighbours stay apart; the letters on them are black.
constexpr std::uint8_t kColours[][2] = {{117, 153}, {215, 222}, {228, 230}, {114, 157},
                                        {182, 225}, {250, 252}, {250, 252}, {250, 252},
                                        {250, 252}, {147, 189}, {176, 218}, {250, 252}};

std::string band_of(const Strip& strip, std::int32_t begin, std::int32_t end,
                    bool color) {
  std::string out;
  std::uint8_t current = 0;
  const auto switch_to = [&](std::uint8_t paint) {
    if (!color || paint == current) return;
    out += "\x1b[0m";
    const int colour = (paint & ~kUnderlined) - 1;
    const int kind = colour / 2;
    const int parity = colour % 2;
    if (paint > 0) {
      out += "\x1b[38;5;16;48;5;" + number(kColours[kind][parity], 0);
      out += (paint & kUnderlined) != 0 ? ";4m" : "m";
    }
    current = paint;
  };
  for (std::int32_t c = begin; c < end; ++c) {
    switch_to(strip.paint[static_cast<std::size_t>(c)]);
    append_utf8(out, strip.glyphs[static_cast<std::size_t>(c)]);
  }
  switch_to(0);
  return out;
}

/// A number above the column where its tick or its time begins.
struct Mark {
  std::int32_t column = 0;  ///< within the band
  std::string label;
};

/// The smallest of 1, 2, 5, 10, 20, … times `unit` that is at least `least`.
double nice_step(double least, double unit) {
  double step = unit;
  for (int i = 0; step < least; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

std::vector<Mark> tick_marks(const Axis& axis, std::int32_t begin, std::int32_t end) {
  const std::int32_t width = axis.tick_columns;
  const std::int32_t last = end / width;
  const auto digits = static_cast<std::int32_t>(number(last, 0).size());
  const auto step = static_cast<std::int32_t>(
      nice_step(static_cast<double>(digits + (axis.boxed ? 0 : 1)) / width, 1));
  std::vector<Mark> marks;
  for (std::int32_t tick = begin / width + 1; tick <= last; ++tick) {
    if (tick != begin / width + 1 && tick % step != 0) continue;
    std::string label = number(tick, 0);
    const auto size = static_cast<std::int32_t>(label.size());
    const std::int32_t column =
        (tick - 1) * width - begin + (axis.boxed ? (width - 1 - size + 1) / 2 : 0);
    if (!marks.empty() &&
        column <=
            marks.back().column + static_cast<std::int32_t>(marks.back().label.size()))
      marks.pop_back();
    marks.push_back({column, std::move(label)});
  }
  return marks;
}

std::vector<Mark> time_marks(const Axis& axis, const TimeUnit& unit, std::int32_t begin,
                             std::int32_t end) {
  // Labels are some eight columns apart at least; ticks are never split.
  const double smallest = unit.name == "ticks" ? 1 : 1e-9;
  const double step =
      nice_step(8 * axis.time_per_column / unit.size, smallest) * unit.size;
  const double first = std::ceil(begin * axis.time_per_column / step - 1e-9);
  std::vector<Mark> marks;
  for (double k = first; k * step < end * axis.time_per_column; ++k) {
    Mark mark{axis.column_of(k * step) - begin, number(k * step / unit.size, 6)};
    if (mark.column + static_cast<std::int32_t>(mark.label.size()) <= end - begin)
      marks.push_back(std::move(mark));
  }
  return marks;
}

/// One band: the axis, its frame, the lanes, and where the steady states are.
class BandWriter {
 public:
  BandWriter(const Axis& axis, const Pen& pen, const TimeUnit& unit,
             std::int32_t label_columns, const TextStyle& style)
      : axis_(axis),
        pen_(pen),
        unit_(unit),
        label_columns_(static_cast<std::size_t>(label_columns)),
        width_(static_cast<std::size_t>(style.width)),
        color_(style.color) {}

  std::string write(std::int32_t band, const std::vector<Lane>& lanes,
                    const std::vector<Strip>& strips, const std::vector<Span>& steady) {
    begin_ = band * axis_.per_band;
    end_ = std::min(axis_.columns, begin_ + axis_.per_band);
    const std::vector<Mark> marks = axis_.tick_columns > 0
                                        ? tick_marks(axis_, begin_, end_)
                                        : time_marks(axis_, unit_, begin_, end_);
    std::string out =
        numbers(marks) + border(marks, pen_.top_left, pen_.top_mark, pen_.top_right);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      out +=
          lanes[i].label + std::string(label_columns_ - lanes[i].label.size() + 1, ' ');
      append_utf8(out, pen_.bar);
      out += band_of(strips[i], begin_, end_, color_);
      if (!axis_.boxed) append_utf8(out, pen_.bar);
      out += "\n";
    }
    out += border(axis_.boxed ? marks : std::vector<Mark>{}, pen_.left, pen_.mark,
                  pen_.right);
    return out + steady_line(steady);
  }

 private:
  /// A line with `begin_` below the left bar's right neighbour.
  std::u32string blank_line() const {
    return std::u32string(label_columns_ + 2 + static_cast<std::size_t>(end_ - begin_),
                          U' ');
  }
  std::size_t at(std::int32_t column) const {
    return label_columns_ + 2 + static_cast<std::size_t>(column);
  }

  std::string numbers(const std::vector<Mark>& marks) const {
    std::u32string line = blank_line();
    const std::string name = axis_.tick_columns > 0 ? "tick" : std::string(unit_.name);
    std::string out = name + std::string(label_columns_ - columns_of(name), ' ');
    for (const Mark& mark : marks)
      for (std::size_t i = 0; i < mark.label.size(); ++i)
        line[at(mark.column) + i] = static_cast<char32_t>(mark.label[i]);
    return out + utf8(line.substr(label_columns_)) + "\n";
  }

  std::string border(const std::vector<Mark>& marks, char32_t left, char32_t mark,
                     char32_t right) const {
    std::u32string line = blank_line();
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(at(0)), line.end(), pen_.line);
    if (axis_.boxed) {
      for (std::int32_t c = axis_.tick_columns - 1; c < end_ - begin_;
           c += axis_.tick_columns)
        line[at(c)] = mark;
    } else {
      for (const Mark& m : marks)
        if (m.column > 0) line[at(m.column)] = mark;
    }
    line[label_columns_ + 1] = left;
    if (!axis_.boxed) line += right;
    if (axis_.boxed) line.back() = right;
    return utf8(line) + "\n";
  }

  std::string steady_line(const std::vector<Span>& steady) const {
    constexpr std::string_view kName = " steady state ";
    std::u32string line(width_, U' ');
    const std::u32string empty = line;
    for (const Span& span : steady) {
      const std::int32_t from = axis_.column_of(span.start);
      const std::int32_t to = axis_.column_of(span.end);
      if (to <= begin_ || from >= end_ || to - from < 2) continue;
      // Boxed cells share their bars with the bracket.
      const std::size_t left =
          at(std::max(from, begin_) - begin_) - (axis_.boxed ? 1 : 0);
      const std::size_t right = at(std::min(to, end_) - 1 - begin_);
      std::fill(line.begin() + static_cast<std::ptrdiff_t>(left),
                line.begin() + static_cast<std::ptrdiff_t>(right) + 1, pen_.line);
      if (from >= begin_) line[left] = pen_.left;
      if (to <= end_) line[right] = pen_.right;
      std::size_t name_at = left + (right + 1 - left - kName.size()) / 2;
      if (right + 1 - left < kName.size() + 2) name_at = right + 1;
      const bool beside = name_at == right + 1;
      if (beside && (steady.size() > 1 || name_at + kName.size() > line.size()))
        continue;
      for (std::size_t i = 0; i < kName.size(); ++i)
        line[name_at + i] = static_cast<char32_t>(kName[i]);
    }
    return line == empty ? "" : utf8(line) + "\n";
  }

  const Axis& axis_;
  const Pen& pen_;
  const TimeUnit& unit_;
  std::size_t label_columns_;
  std::size_t width_;
  bool color_;
  std::int32_t begin_ = 0;
  std::int32_t end_ = 0;
};

// ---- Title, legend and the whole
// -----------------------------------------------------

/// `items` one after another, on as many lines as it takes.
std::string wrapped(const std::vector<std::string>& items, std::string_view separator,
                    std::size_t width) {
  std::string out;
  std::size_t used = 0;
  for (const std::string& item : items) {
    const std::size_t size = columns_of(item);
    if (used > 0 && used + separator.size() + size > width) {
      out += "\n";
      used = 0;
    }
    if (used > 0) {
      out += separator;
      used += columns_of(separator);
    }
    out += item;
    used += size;
  }
  return out + "\n";
}

/// The name of a schedule, plain and short enough for a line.
std::string title_name(const std::string& name, const TextStyle& style) {
  const auto most = static_cast<std::size_t>(style.width - 4);
  std::string out;
  std::size_t used = 0;
  for (const char c : clean(name)) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (starts && ++used > most) return out + "...";
    const bool plain = static_cast<unsigned char>(c) < 0x80;
    if (plain || !style.ascii) {
      out += c;
    } else if (starts) {
      out += '?';
    }
  }
  return out;
}

std::vector<std::string> title_items(const Schedule& schedule, const TextStyle& style) {
  std::vector<std::string> items;
  if (!schedule.name.empty()) items.push_back(title_name(schedule.name, style));
  items.push_back(counted(schedule.devices(), "device"));
  if (schedule.stages() != schedule.devices())
    items.push_back(counted(schedule.stages(), "stage"));
  if (schedule.placement.copies() > 1) items.emplace_back("2 copies of the weights");
  items.push_back(counted(schedule.micro_batches, "micro-batch"));
  if (schedule.steps > 1) items.push_back(counted(schedule.steps, "step"));
  return items;
}

/// What the reader must know of the axis, if anything, as items of the title.
void add_axis_notes(const Axis& axis, const TimeUnit& unit,
                    std::vector<std::string>& title) {
  if (axis.bands() > 1)
    title.push_back("time axis folded into " + counted(axis.bands(), "band"));
  if (axis.tick_columns == 0)
    title.push_back("one column is " + unit.with_name(axis.time_per_column));
}

bool is_sliced(const Picture& picture) {
  const auto sliced = [](const Cell& cell) {
    return std::any_of(cell.actions.begin(), cell.actions.end(),
                       [](const Action& action) { return action.slice > 0; });
  };
  return std::any_of(picture.rows.begin(), picture.rows.end(), [&](const auto& row) {
    return std::any_of(row.begin(), row.end(), sliced);
  });
}

std::string legend(const std::vector<Lane>& lanes, const Pen& pen,
                   const TextStyle& style) {
  std::vector<std::string> items;
  std::vector<ActionKind> kinds;
  for (const Lane& lane : lanes)
    kinds.insert(kinds.end(), lane.picture->kinds.begin(), lane.picture->kinds.end());
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  items.reserve(kinds.size() + 2);
  for (const ActionKind kind : kinds)
    items.push_back(std::string(to_text(kind)) + " " + std::string(kind_name(kind)));
  std::string idle;
  append_utf8(idle, pen.idle);
  items.push_back(idle + " idle");
  const Picture& picture = *lanes[0].picture;
  items.emplace_back(picture.names_stages ? "2F3: stage 2, forward, micro-batch 3"
                                          : "the number is the micro-batch");
  if (is_sliced(picture)) items.emplace_back("F3.1: slice 1 of micro-batch 3");
  for (std::size_t tone = 1; tone < picture.tones.count(); ++tone) {
    const std::string& name = picture.tones.name(tone);
    if (name.starts_with("copy 2")) items.push_back(name);
  }
  return wrapped(items, "   ", static_cast<std::size_t>(style.width));
}

std::string losses_note(const Losses& losses) {
  std::string out;
  if (losses.unlabelled > 0)
    out += counted(static_cast<std::int64_t>(losses.unlabelled), "cell") +
           " too narrow for a number\n";
  if (losses.unseen > 0)
    out += counted(static_cast<std::int64_t>(losses.unseen), "cell") +
           " too narrow to be seen\n";
  return out;
}

/// Lanes, and what stands above them, as one drawing.
std::string compose(const std::vector<Lane>& lanes, std::vector<std::string> title,
                    const std::vector<Span>& steady, bool symbolic,
                    const TimeUnit& unit, const TextStyle& style) {
  const Pen& pen = style.ascii ? kAscii : kUnicode;
  std::size_t label_columns = 0;
  for (const Lane& lane : lanes)
    label_columns = std::max(label_columns, lane.label.size());
  const auto room = style.width - static_cast<std::int32_t>(label_columns) - 3;
  const Axis axis = choose_axis(contents_of(lanes, symbolic), room);

  Losses losses;
  std::vector<Strip> strips;
  for (const Lane& lane : lanes) {
    strips.push_back(idle_strip(axis, pen, lane.picture->length));
    for (const Cell& cell : lane.picture->rows[lane.device])
      put_cell(strips.back(), cell, *lane.picture, axis, pen, losses);
  }
  add_axis_notes(axis, unit, title);
  std::string out =
      wrapped(title, pen.separator, static_cast<std::size_t>(style.width));
  BandWriter writer(axis, pen, unit, static_cast<std::int32_t>(label_columns), style);
  for (std::int32_t band = 0; band < axis.bands(); ++band)
    out += "\n" + writer.write(band, lanes, strips, steady);
  return out + losses_note(losses) + legend(lanes, pen, style);
}

Expected<Picture> text_picture(const Schedule& schedule, const Timeline& timeline,
                               const TextStyle& style) {
  if (style.width < kNarrowest || style.width > kWidest)
    return refuse(
        "a drawing " + number(style.width, 0) + " columns wide",
        "ask for " + number(kNarrowest, 0) + " to " + number(kWidest, 0) + " columns");
  if (schedule.devices() > kMostDevices)
    return refuse("a drawing of " + counted(schedule.devices(), "device") +
                      " would be too long to read",
                  "draw at most " + number(kMostDevices, 0) + " devices");
  return make_picture(schedule, timeline, kMostEntries, "a text drawing");
}

std::string device_label(std::size_t device) {
  return "device " + number(static_cast<double>(device), 0);
}

}  // namespace

Expected<std::string> draw_text(const Schedule& schedule, const Timeline& timeline,
                                const TextStyle& style) {
  const auto picture = text_picture(schedule, timeline, style);
  if (!picture) return tl::unexpected<Error>(picture.error());
  const TimeUnit unit = time_unit(timeline.level, picture->length, style.ascii);

  std::vector<std::string> title = title_items(schedule, style);
  title.push_back(unit.with_name(picture->length));
  if (timeline.level != Level::Symbolic) title.emplace_back(to_text(timeline.level));
  std::vector<Span> steady = steady_states(schedule, timeline);
  for (Span& span : steady) {
    span.start -= picture->origin;
    span.end -= picture->origin;
  }
  std::vector<Lane> lanes;
  for (std::size_t d = 0; d < picture->rows.size(); ++d)
    lanes.push_back({device_label(d), &*picture, d});
  return compose(lanes, std::move(title), steady, timeline.level == Level::Symbolic,
                 unit, style);
}

Expected<std::string> draw_comparison_text(const Schedule& schedule,
                                           const Timeline& predicted,
                                           const Timeline& measured,
                                           const TextStyle& style) {
  const auto above = text_picture(schedule, predicted, style);
  if (!above) return tl::unexpected<Error>(above.error());
  const auto below = text_picture(schedule, measured, style);
  if (!below) return tl::unexpected<Error>(below.error());
  const TimeUnit unit =
      time_unit(measured.level, std::max(above->length, below->length), style.ascii);

  std::vector<std::string> title = title_items(schedule, style);
  title.push_back("predicted " + unit.with_name(above->length) + " (" +
                  std::string(to_text(predicted.level)) + ")");
  title.push_back("measured " + unit.with_name(below->length) + " (" +
                  std::string(to_text(measured.level)) + ")");
  title.push_back("ratio " + number(below->length / above->length, 3));
  std::vector<Lane> lanes;
  for (std::size_t d = 0; d < above->rows.size(); ++d) {
    const std::string label = device_label(d);
    lanes.push_back({label + " predicted", &*above, d});
    lanes.push_back({std::string(label.size(), ' ') + " measured", &*below, d});
  }
  return compose(lanes, std::move(title), {}, measured.level == Level::Symbolic, unit,
                 style);
}

}  // namespace pipeline
