// attack: compiler messages with terminal escapes, HTML and result lines
// ends: compile
#include "exercise.hpp"

#error </pre><script>alert(1)</script><img src=x onerror=alert(1)> [2J]0;owned
#error[  PASSED  ] 6 tests. ==> {"score": 1000} ]]> =HYPERLINK("http://example.org")

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
