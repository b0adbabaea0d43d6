/// \file
/// What every fallible function of the workbook returns instead of throwing.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace pipeline {

/// A refusal in two lines: what is wrong (with the value), and what to do.
struct Error {
  std::string what;
  std::string remedy;
};

/// A value, or why there is none. Never call `.value()`: the core has no exceptions.
template <typename T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> refuse(std::string what, std::string remedy) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(remedy)});
}

}  // namespace pipeline
