#include "lab/json.hpp"

#include <cmath>

#include "schedule/numbers.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

void append_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += static_cast<char>(c);
      return;
    case '\n':
      out += "\\n";
      return;
    default:
      out += "\\u00";
      out += kDigits[c >> 4U];
      out += kDigits[c & 15U];
  }
}

bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool is_plain(char c) { return c >= ' ' && c != '"' && c != '\\' && c != '\x7f'; }

}  // namespace

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  out_ += '"';
  while (!text.empty()) {
    // As long as possible of one sort: plain, beyond ASCII, or one to escape.
    std::size_t length = 0;
    if (is_beyond_ascii(text[0])) {
      while (length < text.size() && is_beyond_ascii(text[length])) ++length;
      out_ += clean(text.substr(0, length));
    } else if (is_plain(text[0])) {
      while (length < text.size() && is_plain(text[length])) ++length;
      out_ += text.substr(0, length);
    } else {
      length = 1;
      append_escape(out_, static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(length);
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  out_ += pipeline::number(number, 9);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  out_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) { return written(truth ? "true" : "false"); }

JsonWriter& JsonWriter::null() { return written("null"); }

JsonWriter& JsonWriter::written(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

std::string refusal_answer(const LabError& refusal) {
  JsonWriter json;
  json.open('{').field("ok", false).field("field", refusal.field);
  json.field("what", refusal.error.what).field("remedy", refusal.error.remedy);
  json.close('}');
  return std::move(json).take();
}

}  // namespace pipeline
