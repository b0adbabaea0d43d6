// attack: an error as long as a book
// ends: compile timeout memory
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "exercise.hpp"

template <typename T>
using Wide = std::tuple<T, T, T, T>;
using Widest = Wide<Wide<Wide<Wide<Wide<std::map<std::string, std::vector<int>>>>>>>;

template <int kDepth, typename T>
struct Fall {
  using Type = typename Fall<kDepth - 1, std::tuple<T>>::Type;
};
template <typename T>
struct Fall<0, T> {
  using Type = typename T::there_is_no_such_type;
};
Fall<300, Widest>::Type missing;
#define A Widest() + Widest();
#define B A A A A A A A A A A
#define C B B B B B B B B B B
void errors() { C }

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
