/// \file
/// What must hold of every reader of replies, whatever the bytes. Test code.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "grading/codec.hpp"

namespace pipeline {

/// What became of bytes that were read as a type.
struct Reading {
  bool accepted = false;
  std::string complaint;  ///< what does not hold, or empty
};

/// Reads bytes as one of the types that cross the wire. Either they are refused, or
/// they have been read as they are: what was read is written as these bytes again.
using TypeCheck = Reading (*)(std::string_view bytes);

template <typename T>
Reading check_type(std::string_view bytes) {
  Reader reader(bytes);
  const T value = reader.take<T>();
  reader.expect_end();
  if (!reader.fault().empty()) return {};
  Writer writer;
  writer.put(value);
  return {true, writer.bytes() == bytes ? "" : "what was read is not what was there"};
}

/// What comes out at the other end of the wire for a parameter.
template <typename T>
struct Carried {
  using Type = std::remove_cvref_t<T>;
};
template <typename T>
struct Carried<std::span<const T>> {
  using Type = std::vector<T>;
};

/// The types of a function of a contract.
template <typename Function>
struct TypeChecks;
template <typename Result, typename... Arguments>
struct TypeChecks<Result(Arguments...)> {
  static void add_to(std::vector<TypeCheck>& checks) {
    checks.push_back(check_type<Result>);
    (checks.push_back(check_type<typename Carried<Arguments>::Type>), ...);
  }
};

/// Each type of each contract, once. The build writes it from all exercises.
const std::vector<TypeCheck>& all_type_checks();

/// Reads the bytes as a value of each type of each contract, as a reply, and as a row
/// of messages out of a socket. Returns what does not hold; empty when all does.
std::string complaint_about_replies(std::string_view bytes);

}  // namespace pipeline
