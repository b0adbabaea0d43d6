// attack: exceptions that are no std::exception, or that have no text
// ends: ok crash
#include <exception>

#include "exercise.hpp"

struct Mute : std::exception {
  const char* what() const noexcept override { return nullptr; }
};
struct Angry {
  ~Angry() noexcept(false) { throw Mute(); }
};

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { throw 42; }
double utilisation(std::int32_t, std::int32_t) { throw Mute(); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  const Angry angry;
  throw 42;
}

}  // namespace pipeline
