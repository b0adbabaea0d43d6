// attack: pragmas that read files or change the rules of the compiler
// ends: compile ok
#pragma GCC dependency "/etc/passwd"
#pragma GCC dependency "/proc/1/environ"
#pragma GCC system_header
_Pragma("GCC optimize(\"no-such-option\")") _Pragma("GCC target(\"arch=native\")")
#pragma GCC pch_preprocess "/tmp/evil.gch"
#pragma GCC poison serve main
#pragma weak main
#pragma redefine_extname tick_count evil
#include "exercise.hpp"

    namespace pipeline {

  std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
  double utilisation(std::int32_t, std::int32_t) { return 0; }
  std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
