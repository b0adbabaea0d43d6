#include "device/allocation_watch.hpp"

#include <atomic>
#include <new>

namespace pipeline {
namespace {

std::atomic<std::uint64_t> allocations{0};
thread_local int exempt = 0;  // how many AllocationsNotCounted this thread is inside

}  // namespace

std::uint64_t allocations_so_far() {
  return allocations.load(std::memory_order_relaxed);
}

bool allocations_are_watched() {
  const std::uint64_t before = allocations_so_far();
  ::operator delete(::operator new(1));
  return allocations_so_far() != before;
}

AllocationsNotCounted::AllocationsNotCounted() { ++exempt; }
AllocationsNotCounted::~AllocationsNotCounted() { --exempt; }

void count_allocation() {
  if (exempt == 0) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace pipeline
