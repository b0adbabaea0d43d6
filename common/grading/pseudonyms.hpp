/// \file
/// A gradebook that may be shown to others.
#pragma once

#include <string>
#include <string_view>

#include "grading/gradebook.hpp"

namespace pipeline {

/// "student-3f9a2c81": the same for one id and one secret, in every exercise; without
/// the secret nobody finds the id, nor, who knows an id, its pseudonym (a hash with a
/// key, HMAC by RFC 2104).
std::string pseudonym(std::string_view id, std::string_view secret);

/// The same verdicts under pseudonyms and in their order, so that the order tells
/// nothing. Without all that a student may have written: messages, compiler errors,
/// notes; and without late days.
Gradebook anonymous(const Gradebook& gradebook, std::string_view secret);

}  // namespace pipeline
