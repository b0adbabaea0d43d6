/// \file
/// The one thing that the CUDA platform needs beyond the CUDA runtime, apart so that
/// the fake runtime of the tests can stand in for both.
#pragma once

#include <cuda_runtime_api.h>

#include "device/device.hpp"

namespace pipeline {

/// Calls `work`, which launches its kernels on `stream`.
void launch_on_stream(const Work& work, cudaStream_t stream);

}  // namespace pipeline
