/// \file
/// Values as bytes, with their types: what the trusted tests and a worker that runs a
/// student's code say to each other. A contract may use bool, integers, float, double,
/// std::string, enums with a `LastEnumerator`, std::vector and plain structs of these.
///
///     true        b 01
///     integer     i, 8 bytes (two's complement, little end first)
///     float       f, 4 bytes        double   d, 8 bytes
///     string      s, 4 bytes of length, the bytes
///     vector      v, 4 bytes of count, the elements
///     struct      {, 1 byte of count, the fields
///
/// Whoever reads trusts nothing: a wrong type, a count that the rest of the bytes
/// cannot hold, a number out of its type's range and bytes left over are refused.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grading/fields.hpp"
#include "schedule/action.hpp"

namespace pipeline {

static_assert(std::endian::native == std::endian::little);

/// The last enumerator of an enum that counts from 0: specialise it for each enum that
/// a contract uses.
template <typename Enum>
struct LastEnumerator;

/// Of the one enumeration that contracts use.
template <>
struct LastEnumerator<ActionKind> {
  static constexpr ActionKind kValue = ActionKind::Update;  ///< the last one
};

template <typename T>
inline constexpr bool kIsVector = false;  ///< whether T is a std::vector
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

/// Puts values at the end of a row of bytes.
class Writer {
 public:
  /// All that was put so far.
  const std::string& bytes() const { return bytes_; }

  /// A value of any type that a contract may use.
  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      tag('b');
      bytes_ += value ? '\1' : '\0';
    } else if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_integral_v<T>) {
      tag('i');
      raw(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, float>) {
      tag('f');
      raw(value);
    } else if constexpr (std::is_same_v<T, double>) {
      tag('d');
      raw(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      tag('s');
      raw(static_cast<std::uint32_t>(value.size()));
      bytes_ += value;
    } else if constexpr (kIsVector<T>) {
      tag('v');
      raw(static_cast<std::uint32_t>(value.size()));
      for (std::size_t i = 0; i < value.size(); ++i)
        put<typename T::value_type>(value[i]);
    } else {
      tag('{');
      bytes_ += static_cast<char>(kFieldCount<T>);
      for_each_field(value, [&](const auto& field) { put(field); });
    }
  }

 private:
  void tag(char type) { bytes_ += type; }
  template <typename T>
  void raw(T value) {
    char image[sizeof value];
    std::memcpy(image, &value, sizeof value);
    bytes_.append(image, sizeof value);
  }

  std::string bytes_;
};

/// Takes values from the front of a row of bytes, which must outlive it. After the
/// first thing that is wrong it takes no more.
class Reader {
 public:
  /// `bytes` must outlive it.
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  /// What is wrong, or empty. Bytes left over are wrong once nothing more is expected.
  const std::string& fault() const { return fault_; }
  /// Says that nothing more is expected.
  void expect_end() {
    if (fault_.empty() && !rest_.empty()) fail("bytes after its end");
  }

  /// The next value; a zero value where the bytes do not hold one.
  template <typename T>
  T take() {
    T value{};
    fill(value);
    return value;
  }

 private:
  template <typename T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (tag('b')) {
        const auto byte = raw<std::uint8_t>();
        if (byte > 1) return fail("a truth value that is neither true nor false");
        value = byte == 1;
      }
    } else if constexpr (std::is_enum_v<T>) {
      const auto number = take<std::int64_t>();
      if (number < 0 || number > static_cast<std::int64_t>(LastEnumerator<T>::kValue))
        return fail("an enumerator that does not exist");
      value = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T>) {
      if (tag('i')) {
        const auto number = raw<std::int64_t>();
        if (!std::in_range<T>(number)) return fail("a number out of range");
        value = static_cast<T>(number);
      }
    } else if constexpr (std::is_same_v<T, float>) {
      if (tag('f')) value = raw<float>();
    } else if constexpr (std::is_same_v<T, double>) {
      if (tag('d')) value = raw<double>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (tag('s')) value = text(raw<std::uint32_t>());
    } else if constexpr (kIsVector<T>) {
      if (tag('v')) fill_elements(value);
    } else {
      if (!tag('{')) return;
      if (raw<std::uint8_t>() != kFieldCount<T>)
        return fail("a struct of another size");
      for_each_field(value, [&](auto& field) { fill(field); });
    }
  }

  template <typename Element>
  void fill_elements(std::vector<Element>& value) {
    const auto count = raw<std::uint32_t>();
    // An element takes two bytes at the least.
    if (count > rest_.size() / 2) return fail("more elements than bytes");
    // Grown as they come: an element may be larger than its bytes.
    for (std::uint32_t i = 0; i < count; ++i) {
      Element element = take<Element>();
      if (!fault_.empty()) return;
      value.push_back(std::move(element));
    }
  }

  bool tag(char type) {
    if (!fault_.empty()) return false;
    if (rest_.empty()) {
      fail("it ends too early");
      return false;
    }
    if (rest_.front() != type) {
      fail("a value of another type");
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  template <typename T>
  T raw() {
    T value{};
    if (rest_.size() < sizeof value) {
      fail("it ends too early");
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }

  std::string text(std::uint32_t length) {
    if (length > rest_.size()) {
      fail("a string longer than what is there");
      return {};
    }
    std::string value(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return value;
  }

  void fail(const char* what) {
    if (fault_.empty()) fault_ = what;
    rest_ = {};
  }

  std::string_view rest_;
  std::string fault_;
};

}  // namespace pipeline
