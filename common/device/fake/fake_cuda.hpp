/// \file
/// Pretended GPUs, to run the CUDA platform in tests where there is none. Test code: no
/// library or chapter links it, and what it ran is never reported as a GPU.
///
///     FakeCuda fake({.gpus = 2});
///     {
///       auto platform = *make_cuda_platform(4);   // device/cuda.hpp
///       …                                         // anything that needs a Platform
///     }
///     EXPECT_EQ(fake.finish(), std::vector<std::string>{});
///
/// Work runs on host streams (device/host.hpp), a thread a stream or in a seeded order.
/// The fake is stricter than CUDA: each call on a stream wants the stream's GPU
/// current.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "device/host.hpp"

namespace pipeline {

/// One call to leave out, as if the CUDA platform had forgotten it: it returns success
/// and does nothing. Shows that the fake finds what is missing.
struct IgnoredCall {
  std::string function;       ///< "cudaFree", say; empty: none
  std::uint64_t ordinal = 0;  ///< which call of that function, from 0. Of cudaSetDevice
                              ///< only those count that change the current device.
};

struct FakeCudaOptions {
  int gpus = 1;
  bool peer_access = true;  ///< whether GPUs can reach each other's memory
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();  ///< a GPU
  HostOptions host = {.drain = HostDrain::ThreadPerStream};
  IgnoredCall ignore = {};
};

/// The GPUs of this process, while it lives; one at a time.
class FakeCuda {
 public:
  explicit FakeCuda(FakeCudaOptions options);
  ~FakeCuda();
  FakeCuda(const FakeCuda&) = delete;
  FakeCuda& operator=(const FakeCuda&) = delete;

  /// What was wrong so far, in order, a line each.
  std::vector<std::string> faults() const;
  /// The same and what was never freed. Call it once, after the platform is gone.
  std::vector<std::string> finish();

  /// Copies from or to ordinary host memory, for which real CUDA may block the caller.
  std::uint64_t copies_that_may_block() const;
  /// Whether `IgnoredCall` came up.
  bool has_ignored() const;

  class State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace pipeline
