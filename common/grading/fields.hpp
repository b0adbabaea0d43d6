/// \file
/// The fields of a plain struct, one after the other, without naming them: what lets
/// one piece of code send every struct that a contract of an exercise uses.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace pipeline {
namespace fields_detail {

/// Stands for a value of whatever type a field has.
struct Anything {
  /// Never called: it only lets braces be tried out.
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is its purpose
};

/// Whether braces can fill T from so many values.
template <typename T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...> /*count*/) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}

/// The most values that T's braces take. A type with fewer fields refuses more of them.
template <typename T, std::size_t kCount>
constexpr std::size_t count_fields() {
  if constexpr (kCount == 0 || takes<T>(std::make_index_sequence<kCount>{})) {
    return kCount;
  } else {
    return count_fields<T, kCount - 1>();
  }
}

}  // namespace fields_detail

/// The most fields of a struct that can cross the wire.
inline constexpr std::size_t kMostFields = 8;

/// How many fields a struct has that braces can fill.
template <typename T>
inline constexpr std::size_t kFieldCount =
    fields_detail::count_fields<T, kMostFields + 1>();

/// Calls `visit(field)` for each field of `value`, in the order of their declaration.
template <typename Struct, typename Visit>
void for_each_field(Struct& value, const Visit& visit) {
  constexpr std::size_t count = kFieldCount<std::remove_const_t<Struct>>;
  static_assert(count > 0 && count <= kMostFields, "a struct of 1 to 8 fields");
  const auto all = [&](auto&... field) { (visit(field), ...); };
  if constexpr (count == 1) {
    auto& [a] = value;
    all(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = value;
    all(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    all(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = value;
    all(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = value;
    all(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = value;
    all(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    all(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = value;
    all(a, b, c, d, e, f, g, h);
  }
}

}  // namespace pipeline
