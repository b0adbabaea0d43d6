// attack: operator new and malloc of its own, which give the same bytes to all
// ends: crash ok timeout
#include <cstddef>
#include <new>

#include "exercise.hpp"

alignas(64) char room[1 << 20];

extern "C" void* malloc(std::size_t) { return room; }
extern "C" void free(void*) {}
void* operator new(std::size_t) { return room; }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
