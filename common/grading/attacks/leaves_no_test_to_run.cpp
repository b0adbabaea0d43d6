// attack: tells GoogleTest through the environment to run no test
// ends: ok
// fools: exit
#include <stdlib.h>

#include "exercise.hpp"

// Before the static initialisers of GoogleTest, which read it.
__attribute__((constructor(101))) void set_filter() {
  setenv("GTEST_FILTER", "-*", 1);
  setenv("GTEST_OUTPUT", "xml:/dev/null", 1);
  setenv("GTEST_TOTAL_SHARDS", "1000000", 1);
  setenv("GTEST_SHARD_INDEX", "999999", 1);
}

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
