/// \file
/// A short name for many floats or bytes, to compare them bit for bit.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pipeline {

/// 16 hexadecimal digits over the bytes of `values` (FNV-1a, 64 bits; Fowler, Noll,
/// Vo): equal when the values are equal bit for bit, and else different but for one
/// chance in 2^64. Compared within a run, never between machines.
std::string digest_of(std::span<const float> values);
/// The same of bytes.
std::string digest_of(std::string_view bytes);

}  // namespace pipeline
