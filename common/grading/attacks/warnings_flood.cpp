// attack: warnings without end
// ends: compile ok timeout
#include "exercise.hpp"

#ifndef DEPTH_0
#define DEPTH_0
#elif !defined(DEPTH_1)
#define DEPTH_1
#elif !defined(DEPTH_2)
#define DEPTH_2
#endif
#define W _Pragma("GCC warning \"a warning as long as a warning may ever be\"")
#define A W W W W W W W W W W W W W W W W W W W W
#define B A A A A A A A A A A A A A A A A A A A A
#define C B B B B B B B B B B B B B B B B B B B B
#define D C C C C C C C C C C C C C C C C C C C C
D

    namespace pipeline {
  std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
  double utilisation(std::int32_t, std::int32_t) { return 0; }
  std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
