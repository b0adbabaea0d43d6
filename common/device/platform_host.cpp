#include "device/host.hpp"

namespace pipeline {

Expected<std::unique_ptr<Platform>> make_platform(std::int32_t devices) {
  return make_host_platform(devices);
}

}  // namespace pipeline
