#include "grading/shown.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace pipeline {
namespace {

/// What a text begins with: a code point and its bytes; no bytes where it is no UTF-8.
struct Sign {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Sign first_sign(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || surrogate || code > 0x10FFFF) return {};
  return {code, bytes};
}

struct Range {
  char32_t first, last;
};

constexpr std::array kUnseen = {
    Range{0x00, 0x1F},        // controls; line ends and tabs are let through before
    Range{0x7F, 0x9F},        // delete, and the second set of controls
    Range{0xAD, 0xAD},        // soft hyphen
    Range{0x61C, 0x61C},      // Arabic letter mark
    Range{0x115F, 0x1160},    // Hangul fillers
    Range{0x180E, 0x180E},    // Mongolian vowel separator
    Range{0x200B, 0x200B},    // zero width space; its joiners are letters to some
    Range{0x200E, 0x200F},    // left-to-right and right-to-left marks
    Range{0x2028, 0x202E},    // line and paragraph ends, embeddings and overrides
    Range{0x2060, 0x206F},    // word joiner, isolates, deprecated controls
    Range{0x3164, 0x3164},    // Hangul filler
    Range{0xFDD0, 0xFDEF},    // no characters
    Range{0xFEFF, 0xFEFF},    // byte order mark
    Range{0xFFA0, 0xFFA0},    // Hangul filler
    Range{0xFFF0, 0xFFFB},    // annotations
    Range{0xFFFE, 0xFFFF},    // no characters
    Range{0xE0000, 0xE0FFF},  // tags, further variation selectors
};

bool is_unseen(char32_t code) {
  if (code >= 0x10000 && (code & 0xFFFEU) == 0xFFFE) return true;  // no character
  return std::any_of(kUnseen.begin(), kUnseen.end(), [&](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

std::string named(const char* format, unsigned value) {
  std::array<char, 16> text = {};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string shown(std::string_view text, std::string_view let_through) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Sign sign = first_sign(text);
    if (sign.bytes == 0) {
      out += named("[0x%02X]", static_cast<unsigned char>(text[0]));
    } else if (is_unseen(sign.code) && let_through.find(text[0]) == text.npos) {
      out += named("[U+%04X]", static_cast<unsigned>(sign.code));
    } else {
      out += text.substr(0, sign.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(sign.bytes, 1));
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string one_kind_of_line_end;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) != "\r\n") one_kind_of_line_end += text[i];
  }
  return shown(one_kind_of_line_end, "\n\t");
}

std::string visible_line(std::string_view text) { return shown(text, ""); }

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) {
    --bytes;
  }
  return std::string(text.substr(0, bytes)) + "\n… " +
         std::to_string(text.size() - bytes) + " bytes more are left out";
}

std::string markup(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
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
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string harmless_cell(std::string_view text) {
  std::string cell = visible_line(text);
  if (!cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string::npos) {
    cell.insert(cell.begin(), '\'');
  }
  return cell;
}

}  // namespace pipeline
