/// \file
/// From a solution to the file that a student starts with.
#pragma once

#include <string>
#include <string_view>

#include "schedule/error.hpp"

namespace pipeline {

/// Takes the marked regions out of a solution. Within a region, lines that begin with
/// `//~ ` are what the starter has in its place:
///
///     solution                            starter
///     std::int64_t ticks(int p, int m) {  std::int64_t ticks(int p, int m) {
///       // <solution>
///       // The last one enters late.
///       return m + p - 1;
///       //~ return 0;  // your turn         return 0;  // your turn
///       // </solution>
///     }                                   }
///
/// Refuses, naming the line, a region that is not closed, opened twice or closed before
/// it is opened, a `//~` outside of a region, and a text without any region.
Expected<std::string> derive_starter(std::string_view solution);

/// The solution to be read: without the marks and the `//~` lines.
std::string without_marks(std::string_view solution);

}  // namespace pipeline
