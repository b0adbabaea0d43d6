/// \file
/// Device memory that is asked for again and again.
#pragma once

#include <cstddef>
#include <vector>

#include "device/device.hpp"

namespace pipeline {

/// Keeps what it handed out once and hands it out again: after the first round of the
/// same requests nothing is allocated. Thrust takes it as an allocator. What was given
/// back may be handed out while kernels that use it still run, which is right on one
/// stream only: its work runs in order.
class ScratchCache {
 public:
  /// What Thrust calls the type that an allocator hands out.
  using value_type = char;

  /// Of a device, which must outlive it.
  explicit ScratchCache(Device& device) : device_(&device) {}
  ScratchCache(const ScratchCache&) = delete;
  ScratchCache& operator=(const ScratchCache&) = delete;

  /// The smallest free block that holds `bytes`; 64-byte aligned.
  char* allocate(std::ptrdiff_t bytes);
  /// Gives a block back; `data` came from `allocate`.
  void deallocate(char* data, std::size_t bytes);
  /// All blocks together, in use or free.
  std::size_t held_bytes() const;

 private:
  struct Block {
    Buffer buffer;
    bool free = false;
  };
  Device* device_;
  std::vector<Block> blocks_;
};

/// A block of scratch for as long as this lives.
template <typename T>
class Scratch {
 public:
  /// `count` values, not initialised.
  Scratch(ScratchCache& cache, std::size_t count)
      : cache_(cache),
        bytes_(count * sizeof(T)),
        data_(cache.allocate(static_cast<std::ptrdiff_t>(bytes_))) {}
  ~Scratch() { cache_.deallocate(data_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// The first value, on the device.
  T* data() const { return reinterpret_cast<T*>(data_); }

 private:
  ScratchCache& cache_;
  std::size_t bytes_;
  char* data_;
};

}  // namespace pipeline
