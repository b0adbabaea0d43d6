/// \file
/// Counts the allocations of the process, for "nothing is allocated in steady state".
/// They are counted only in programs that link `pipeline_allocation_watch`, which
/// replaces operator new; elsewhere the count stays 0.
#pragma once

#include <cstdint>

namespace pipeline {

/// Calls of operator new of any form, by all threads, since the program began.
std::uint64_t allocations_so_far();

/// Whether this program counts them.
bool allocations_are_watched();

/// While it lives, what this thread allocates is not counted: for the inside of
/// libraries that are not ours.
class AllocationsNotCounted {
 public:
  /// Of the thread that makes it.
  AllocationsNotCounted();
  ~AllocationsNotCounted();
  AllocationsNotCounted(const AllocationsNotCounted&) = delete;
  AllocationsNotCounted& operator=(const AllocationsNotCounted&) = delete;
};

/// What the replaced operator new calls.
void count_allocation();

}  // namespace pipeline
