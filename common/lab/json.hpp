/// \file
/// JSON, written a piece at a time: for answers, which are large and need no tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "schedule/error.hpp"

namespace pipeline {

/// Appends values to a text, with the commas between them:
///
///     JsonWriter json;
///     json.open('{').field("p", 4).key("peak").open('[');
///     for (double peak : peaks) json.value(peak);
///     json.close(']').close('}');                      {"p":4,"peak":[1,0.5]}
///
/// That what is opened is closed is for the caller to see to.
class JsonWriter {
 public:
  /// Begins an object '{' or a list '['.
  JsonWriter& open(char bracket);
  /// Ends what was opened last, by '}' or ']'.
  JsonWriter& close(char bracket);
  /// Of the value that follows, in an object.
  JsonWriter& key(std::string_view name);

  /// Any text: control characters are escaped, malformed UTF-8 is replaced.
  JsonWriter& value(std::string_view text);
  /// The same, of a string in C's way.
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  /// The same, of a std::string.
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  /// At most nine digits after the point, the same on every platform; null for what is
  /// not finite.
  JsonWriter& value(double number);
  /// A whole number, exactly.
  JsonWriter& value(std::int64_t number);
  /// A whole number, exactly.
  JsonWriter& value(std::int32_t number) { return value(std::int64_t{number}); }
  /// A whole number below 2^63, exactly.
  JsonWriter& value(std::size_t number) {
    return value(static_cast<std::int64_t>(number));
  }
  /// true or false.
  JsonWriter& value(bool truth);
  /// null.
  JsonWriter& null();

  /// A key and its value.
  template <typename T>
  JsonWriter& field(std::string_view name, const T& of_any_kind) {
    return key(name).value(of_any_kind);
  }

  /// All that was written; the writer is done with then.
  std::string take() && { return std::move(out_); }

 private:
  void separate();
  JsonWriter& written(std::string_view json);  ///< as it is

  std::string out_;
  bool needs_comma_ = false;
};

/// A refusal, and which key of the question it is about; empty where it is none.
struct LabError {
  std::string field;  ///< a key of the query, or empty
  Error error;        ///< what is wrong with it, and what to do
};

/// A value, or the refusal that is answered in its place.
template <typename T>
using LabExpected = tl::expected<T, LabError>;

/// A refusal, to be returned where a LabExpected is.
inline tl::unexpected<LabError> refuse_field(std::string_view field, Error error) {
  return tl::unexpected<LabError>(LabError{std::string(field), std::move(error)});
}

/// `{"ok":false,"field":"p","what":"…","remedy":"…"}`
std::string refusal_answer(const LabError& refusal);

}  // namespace pipeline
