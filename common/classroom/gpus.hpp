/// \file
/// The GPUs of this machine.
#pragma once

namespace pipeline {

/// GPUs that the driver shows (`nvidia-smi -L`); 0 where there is none, or no driver.
int count_gpus();

}  // namespace pipeline
