// attack: templates of which each needs two others, all different
// ends: compile timeout memory
#include "exercise.hpp"

template <int kDepth, typename... Path>
struct Bomb {
  static constexpr int kValue =
      Bomb<kDepth - 1, int, Path...>::kValue + Bomb<kDepth - 1, char, Path...>::kValue;
};
template <typename... Path>
struct Bomb<0, Path...> {
  static constexpr int kValue = 1;
};
const int kBang = Bomb<40>::kValue;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
