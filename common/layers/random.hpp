/// \file
/// Numbers drawn from a seed, the same on every platform and with every compiler (the
/// distributions of `<random>` are not).
#pragma once

#include <cstdint>

namespace pipeline {

/// SplitMix64 (Steele, Lea & Flood 2014): a counter, well mixed.
class Random {
 public:
  /// Two generators of one seed draw the same numbers.
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// 64 bits, each equally likely.
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// In [0, 1), in steps of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [0, bound), each equally likely; bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t drawn = next();
    while (drawn < uneven) drawn = next();
    return drawn % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace pipeline
