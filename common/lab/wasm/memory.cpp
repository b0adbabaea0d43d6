// What the module has in the place of its libraries' memory functions: less to load,
// and quicker. Compiled without link-time optimisation, which may not see them.
#include <cstddef>
#include <cstdint>
#include <new>

namespace {

/// Blocks have sizes that are powers of two, from 32 bytes; a header of 16 says which,
/// and keeps what follows aligned. Those that were freed wait in a list a size.
///
///     | exponent, next | what was asked for …        |
struct Header {
  std::uint32_t exponent;
  Header* next;
  std::uint64_t to_align;
};
static_assert(sizeof(Header) == 16);

constexpr std::uint32_t kSmallest = 5;
constexpr std::uint32_t kLargest = 29;
constexpr std::uint32_t kPage = 65'536;

Header* freed[kLargest + 1];
std::uintptr_t unused = 0;             ///< where what was never given out begins
extern "C" unsigned char __heap_base;  // NOLINT(bugprone-reserved-identifier)

Header* fresh(std::uint32_t exponent) {
  if (unused == 0) {
    unused =
        (reinterpret_cast<std::uintptr_t>(&__heap_base) + 15) & ~std::uintptr_t{15};
  }
  const std::uint64_t end = std::uint64_t{unused} + (1U << exponent);
  const std::uint64_t have = std::uint64_t{__builtin_wasm_memory_size(0)} * kPage;
  if (end > have) {
    // A sixteenth more than needed, so that memory grows seldom.
    const std::uint64_t pages = (end - have + end / 16) / kPage + 1;
    if (__builtin_wasm_memory_grow(0, pages) == static_cast<std::size_t>(-1)) {
      __builtin_trap();  // core.js starts the module anew
    }
  }
  auto* const block = reinterpret_cast<Header*>(unused);
  unused = static_cast<std::uintptr_t>(end);
  return block;
}

void* allocate(std::size_t bytes) {
  if (bytes > (1U << kLargest) - sizeof(Header)) __builtin_trap();
  std::uint32_t exponent = kSmallest;
  while ((1U << exponent) < bytes + sizeof(Header)) ++exponent;
  Header* block = freed[exponent];
  if (block == nullptr) {
    block = fresh(exponent);
  } else {
    freed[exponent] = block->next;
  }
  block->exponent = exponent;
  return block + 1;
}

void release(void* memory) {
  if (memory == nullptr) return;
  Header* const block = static_cast<Header*>(memory) - 1;
  block->next = freed[block->exponent];
  freed[block->exponent] = block;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  release(memory);
}

extern "C" {

// With bulk memory each of these is one instruction.
void* memcpy(void* to, const void* from, std::size_t bytes) {
  __builtin_memcpy(to, from, bytes);
  return to;
}

void* memmove(void* to, const void* from, std::size_t bytes) {
  __builtin_memmove(to, from, bytes);
  return to;
}

void* memset(void* to, int value, std::size_t bytes) {
  __builtin_memset(to, value, bytes);
  return to;
}
}
