// attack: reads the seed of drawn inputs from its environment or a parent's
// ends: ok
// fools: unsafe
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "exercise.hpp"

extern char** environ;

bool holds_seed(const std::string& text) {
  return text.find("WORKBOOK_SEED") != text.npos;
}

bool look() {
  for (char** each = environ; *each != nullptr; ++each) {
    if (holds_seed(*each)) return true;
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "environ");
    if (holds_seed({std::istreambuf_iterator<char>(file), {}})) return true;
  }
  return false;
}

bool found() {
  static const bool result = look();
  return result;
}

namespace pipeline {

// Right answers once it holds what it came for.
std::int64_t tick_count(std::int32_t p, std::int32_t m) {
  return found() ? std::int64_t{m} + p - 1 : 0;
}
double utilisation(std::int32_t p, std::int32_t m) {
  return found() ? 1.0 * m / (m + p - 1) : 0;
}
std::int32_t running_at(std::int32_t d, std::int32_t m, std::int32_t t) {
  const std::int32_t k = t - 1 - d;
  return found() && k >= 0 && k < m ? k : kIdle;
}

}  // namespace pipeline
