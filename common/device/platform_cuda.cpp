#include "device/cuda.hpp"

namespace pipeline {

Expected<std::unique_ptr<Platform>> make_platform(std::int32_t devices) {
  return make_cuda_platform(devices);
}

}  // namespace pipeline
