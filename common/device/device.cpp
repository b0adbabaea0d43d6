#include "device/device.hpp"

#include <cassert>
#include <utility>

namespace pipeline {

Buffer::Buffer(Device& device, std::size_t bytes)
    : region_{bytes == 0 ? nullptr : device.allocate(bytes), bytes, &device},
      device_(&device) {}

Buffer::Buffer(Platform& platform, std::size_t bytes)
    : region_{bytes == 0 ? nullptr : platform.allocate_host(bytes), bytes, nullptr},
      platform_(&platform) {}

Buffer::~Buffer() {
  if (region_.data == nullptr) return;
  if (device_ != nullptr) {
    device_->release(region_.data, region_.bytes);
  } else {
    platform_->release_host(region_.data, region_.bytes);
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : region_(std::exchange(other.region_, {})),
      device_(other.device_),
      platform_(other.platform_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  Buffer taken(std::move(other));
  std::swap(region_, taken.region_);  // the old memory is freed with `taken`
  std::swap(device_, taken.device_);
  std::swap(platform_, taken.platform_);
  return *this;
}

Region Buffer::part(std::size_t offset, std::size_t bytes) const {
  assert(offset <= region_.bytes && bytes <= region_.bytes - offset);
  return {region_.data + offset, bytes, region_.device};
}

}  // namespace pipeline
