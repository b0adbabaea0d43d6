/// \file
/// Devices on GPUs, through the CUDA runtime.
///
/// Pipeline device d lives on GPU d mod (number of GPUs): a GPU each where there are
/// enough, a pair of streams of a shared GPU where not.
///
/// A failed call of CUDA is kept as the platform's `fault()`, with the call's name, the
/// device and CUDA's text; from then on calls do nothing but free what they own.
///
/// Marks of one GPU are compared by CUDA (0.5 µs). Each GPU has a clock of its own, so
/// between two GPUs each mark is first placed on the host's clock, by an event whose
/// time is measured when the platform starts: right to about 10 µs then, and less sharp
/// as minutes go by, since the clocks drift.
#pragma once

#include <cstdint>
#include <memory>

#include "device/device.hpp"

namespace pipeline {

/// Refused without a GPU. `level()` is Gpus if each of several devices has its own,
/// else OneGpu.
Expected<std::unique_ptr<Platform>> make_cuda_platform(std::int32_t devices);

}  // namespace pipeline
