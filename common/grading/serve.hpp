/// \file
/// The worker's end: calls a student's functions as it is told. The build writes a shim
/// for each exercise (contract.hpp), a line a function:
///
///     const Served kServed[] = {
///         served<&tick_count>,
///     };
///     int main() { return serve(kServed); }
///
/// Nothing here is relied on: it runs beside the student's code, which may do what it
/// likes with it. All that counts is what comes back over the socket.
#pragma once

#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "grading/codec.hpp"

namespace pipeline {

/// Takes the arguments of one call and puts down what the function returned.
using Served = void (*)(Reader& arguments, Writer& result);

/// What is kept of an argument while the call runs.
template <typename T>
struct Kept {
  /// The value itself.
  using Type = std::remove_cvref_t<T>;
};
/// A span views what was taken from the wire.
template <typename T>
struct Kept<std::span<const T>> {
  using Type = std::vector<T>;  ///< the values themselves
};

/// Takes the arguments from `reader`, calls, and puts the result.
template <typename Result, typename... Arguments>
void call_with(Result (*function)(Arguments...), Reader& reader, Writer& writer) {
  // Braces keep the order from left to right.
  const std::tuple<typename Kept<Arguments>::Type...> kept{
      reader.take<typename Kept<Arguments>::Type>()...};
  writer.put(std::apply([&](const auto&... each) { return function(each...); }, kept));
}

/// `call_with` as a plain function pointer, for the table of a shim.
template <auto kFunction>
void served(Reader& arguments, Writer& result) {
  call_with(kFunction, arguments, result);
}

/// Answers calls until the other end is closed; returns the exit code.
int serve(std::span<const Served> functions);

}  // namespace pipeline
