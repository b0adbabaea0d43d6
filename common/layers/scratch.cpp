#include "layers/scratch.hpp"

#include <cassert>

namespace pipeline {

char* ScratchCache::allocate(std::ptrdiff_t bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const std::size_t size = block.buffer.region().bytes;
    if (block.free && size >= wanted &&
        (best == nullptr || size < best->buffer.region().bytes)) {
      best = &block;
    }
  }
  if (best == nullptr) {
    blocks_.push_back({Buffer(*device_, wanted)});
    best = &blocks_.back();
  }
  best->free = false;
  return reinterpret_cast<char*>(best->buffer.region().data);
}

void ScratchCache::deallocate(char* data, std::size_t /*bytes*/) {
  for (Block& block : blocks_) {
    if (reinterpret_cast<char*>(block.buffer.region().data) == data) {
      assert(!block.free);
      block.free = true;
      return;
    }
  }
  assert(false && "not a block of this cache");
}

std::size_t ScratchCache::held_bytes() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.buffer.region().bytes;
  return sum;
}

}  // namespace pipeline
