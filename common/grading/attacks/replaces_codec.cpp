// attack: its own versions of what the shim has from headers: numbers as they should be
// ends: ok compile crash
// earns: part
#include <string>

#include "exercise.hpp"

namespace pipeline {

// The same names as those that the shim instantiates; the linker keeps one of each.
class Writer {
 public:
  template <typename T>
  void put(const T& value);

 private:
  std::string bytes_;
};
template <>
void Writer::put<long>(const long&) {
  bytes_ += std::string("i\6\0\0\0\0\0\0\0", 9);
}
template <>
void Writer::put<double>(const double&) {
  bytes_ += std::string("d\x55\x55\x55\x55\x55\x55\xe5\x3f", 9);
}

}  // namespace pipeline

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
