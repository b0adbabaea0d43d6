/// \file
/// Elements of an SVG as text. Private to the figures.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "schedule/action.hpp"
#include "timeline/writing.hpp"

namespace pipeline::svg {

// Lengths are in user units, which are CSS pixels at natural size. Widths of text are
// estimates on the safe side: a figure is written without knowing the font.
constexpr double kLetter = 7.4;       // a character of a label, 12 px bold
constexpr double kTightLetter = 6.8;  // the same at 10 px

/// How many average characters wide a label is: W is the one wide letter.
inline double characters(std::string_view label) {
  const auto wide = std::count(label.begin(), label.end(), 'W');
  return static_cast<double>(label.size()) + 0.5 * static_cast<double>(wide);
}

/// A length, to a hundredth of a unit.
inline std::string num(double value) { return number(value, 2); }

inline std::string attribute(std::string_view name, double value) {
  std::string out = " ";
  out += name;
  return out + "=\"" + num(value) + "\"";
}

inline std::string rect(std::string_view css, double x, double y, double width,
                        double height, double radius = 0) {
  std::string out = "<rect class=\"";
  out += css;
  out += "\"" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height);
  if (radius > 0) out += attribute("rx", radius);
  return out;
}

inline std::string text(std::string_view css, double x, double y,
                        std::string_view content) {
  std::string out = "<text class=\"";
  out += css;
  return out + "\"" + attribute("x", x) + attribute("y", y) + ">" +
         xml_escaped(content) + "</text>";
}

inline std::string path(std::string_view css, std::string_view data) {
  std::string out = "<path class=\"";
  out += css;
  out += "\" d=\"";
  out += data;
  return out + "\"/>";
}

inline std::string line(std::string_view css, double x1, double y1, double x2,
                        double y2) {
  std::string out = "<line class=\"";
  out += css;
  return out + "\"" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
         attribute("y2", y2) + "/>";
}

/// The mark of what takes no time, as the data of a path: a triangle; for what several
/// devices do together a diamond, for all of them a disc.
inline std::string mark(ActionKind kind, double x, double y) {
  if (kind == ActionKind::Reduce)
    return "M" + num(x - 4) + " " + num(y + 4) + "l4-4l4 4l-4 4z";
  if (kind == ActionKind::ReduceNorm)
    return "M" + num(x - 4) + " " + num(y + 4) + "a4 4 0 1 0 8 0a4 4 0 1 0-8 0z";
  return "M" + num(x - 4.5) + " " + num(y) + "h9l-4.5 8z";
}

}  // namespace pipeline::svg
