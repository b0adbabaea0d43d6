// attack: calls GoogleTest where it is linked, and does without where it is not
// ends: ok
#include <string>

#include "exercise.hpp"

// testing::FLAGS_gtest_filter, testing::UnitTest::GetInstance() and RecordProperty.
extern std::string filter __asm__("_ZN7testing18FLAGS_gtest_filterE")
    __attribute__((weak));
extern "C" void* unit_test() __asm__("_ZN7testing8UnitTest11GetInstanceEv")
    __attribute__((weak));
extern "C" void record(const std::string&, int) __asm__(
    "_ZN7testing4Test14RecordPropertyERKNSt7__cxx1112basic_stringIcSt11char_traitsIcE"
    "SaIcEEEi") __attribute__((weak));

bool forge() {
  if (&filter != nullptr) filter = "-*";
  if (unit_test != nullptr && record != nullptr) record("points", 1000);
  return false;
}

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return forge(); }
double utilisation(std::int32_t, std::int32_t) { return forge(); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  return forge() + kIdle;
}

}  // namespace pipeline
