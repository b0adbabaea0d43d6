/// \file
/// A named mistake as a student would hand it in: mistakes/x.cpp holds only the
/// function that is wrong, and a submission is one whole exercise.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Where a source defines a function of namespace pipeline: from the comment above it
/// to the end of its last line.
struct Definition {
  std::string name;       ///< of the function
  std::size_t begin = 0;  ///< in bytes
  std::size_t end = 0;    ///< one past its last byte
};

/// The functions that `source` defines in namespace pipeline itself, so that what
/// stands in a namespace within it is not among them, in order.
std::vector<Definition> definitions_of(std::string_view source);

/// `solution` with the functions of `mistake` in the place of its own of the same
/// names, without the marks of the solution (starter.hpp) and the mistake's first
/// comment, which say what they are. With another mistake as `mistake`, what comes back
/// may be a `solution` again. A mistake in tests that students write is an answer by
/// itself. Refuses a mistake that defines nothing, or something that
/// the solution does not.
Expected<std::string> whole_answer(std::string_view solution, std::string_view mistake);

}  // namespace pipeline
