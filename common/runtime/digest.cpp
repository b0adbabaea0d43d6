#include "runtime/digest.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace pipeline {

std::string digest_of(std::span<const float> values) {
  constexpr std::uint64_t kPrime = 0x100000001B3U;
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const float value : values) {
    std::array<unsigned char, sizeof(float)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(float));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * kPrime;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; hash >>= 4U) text[i] = kDigits[hash & 15U];
  return text;
}

}  // namespace pipeline
