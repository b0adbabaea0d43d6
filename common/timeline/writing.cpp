#include "timeline/writing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pipeline {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  // U+FFFE and U+FFFF, which XML forbids, and the C1 controls.
  if (lead == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0;
  if (lead == 0xC2 && byte(1) < 0xA0) return 0;
  return length;
}

}  // namespace

std::string_view kind_name(ActionKind kind) {
  switch (kind) {
    case ActionKind::Forward:
      return "forward";
    case ActionKind::Backward:
      return "backward";
    case ActionKind::InputGradient:
      return "input gradient";
    case ActionKind::WeightGradient:
      return "weight gradient";
    case ActionKind::Recompute:
      return "recompute";
    case ActionKind::SendActivation:
      return "send activation";
    case ActionKind::ReceiveActivation:
      return "receive activation";
    case ActionKind::SendGradient:
      return "send gradient";
    case ActionKind::ReceiveGradient:
      return "receive gradient";
    case ActionKind::Reduce:
      return "reduce";
    case ActionKind::ReduceNorm:
      return "reduce norm";
    case ActionKind::Update:
      return "update";
  }
  return "unknown";
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7F) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string TimeUnit::without_name(double time) const {
  const double value = time / size;
  if (name != "ticks") return short_number(value);
  constexpr int kMostDecimals = 9;
  int decimals = std::fabs(value) < 1 ? 4 : 2;
  for (double least = 0.1; std::fabs(value) < least && decimals < kMostDecimals;
       least /= 10) {
    ++decimals;
  }
  return number(value, decimals);
}

std::string TimeUnit::with_name(double time) const {
  std::string text = without_name(time);
  const bool one = name == "ticks" && text == "1";
  text += " ";
  return text += one ? "tick" : name;
}

TimeUnit time_unit(Level level, double longest, bool ascii) {
  if (level == Level::Symbolic) return {};
  if (longest >= 1) return {1, "s"};
  if (longest >= 1e-3) return {1e-3, "ms"};
  return {1e-6, ascii ? "us" : "µs"};
}

}  // namespace pipeline
