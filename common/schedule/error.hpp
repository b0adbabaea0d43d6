/// \file
/// What every fallible function of the workbook returns instead of throwing.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pipeline {

/// Whether the input is wrong, or something is absent here. Programs exit 2 and 3.
enum class ErrorKind : std::uint8_t {
  Invalid,  ///< bad usage; unparsable or damaged input
  Absent,   ///< a GPU, a data set: the remedy names how to get it
};

/// A refusal in two lines: what is wrong (with the value), and what to do.
struct Error {
  std::string what;                     ///< one line: what is wrong, with the value
  std::string remedy;                   ///< one line: what to do
  ErrorKind kind = ErrorKind::Invalid;  ///< which exit code it deserves
};

/// A value, or why there is none. Never call `.value()`: the core has no exceptions.
template <typename T>
using Expected = tl::expected<T, Error>;

/// An `Error` of the kind Invalid, to be returned where a value is expected.
inline tl::unexpected<Error> refuse(std::string what, std::string remedy) {
  return tl::unexpected<Error>(
      Error{std::move(what), std::move(remedy), ErrorKind::Invalid});
}

/// The same where nothing is wrong with the input, but something is not here.
inline tl::unexpected<Error> absent(std::string what, std::string remedy) {
  return tl::unexpected<Error>(
      Error{std::move(what), std::move(remedy), ErrorKind::Absent});
}

}  // namespace pipeline
