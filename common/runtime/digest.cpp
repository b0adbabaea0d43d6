#include "runtime/digest.hpp"

#include <cstddef>
#include <cstdint>

namespace pipeline {

std::string digest_of(std::string_view bytes) {
  constexpr std::uint64_t kPrime = 0x100000001B3U;
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; hash >>= 4U) text[i] = kDigits[hash & 15U];
  return text;
}

std::string digest_of(std::span<const float> values) {
  return digest_of(std::string_view(reinterpret_cast<const char*>(values.data()),
                                    values.size_bytes()));
}

}  // namespace pipeline
