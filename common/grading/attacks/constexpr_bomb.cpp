// attack: has the compiler compute for ever
// ends: compile timeout memory
#include "exercise.hpp"

template <int kNumber>
constexpr int burn() {
  int sum = 0;
  for (int i = 0; i < 200000; ++i) sum += i % (kNumber + 2);
  return sum;
}
template <int kNumber>
constexpr int burn_all() {
  if constexpr (kNumber == 0) return 0;
  constexpr int own = burn<kNumber>();
  if constexpr (kNumber > 0) return own + burn_all<kNumber - 1>();
}
constexpr int kAshes = burn_all<800>();

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
