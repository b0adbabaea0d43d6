// attack: takes memory and writes to it until there is none
// ends: memory
#include <cstddef>
#include <cstring>
#include <vector>

#include "exercise.hpp"

std::vector<char*> taken;

std::int64_t take() {
  constexpr std::size_t kPiece = std::size_t{16} << 20U;
  while (true) {
    taken.push_back(new char[kPiece]);
    std::memset(taken.back(), 1, kPiece);
  }
}

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return take(); }
double utilisation(std::int32_t, std::int32_t) { return static_cast<double>(take()); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  return static_cast<std::int32_t>(take());
}

}  // namespace pipeline
