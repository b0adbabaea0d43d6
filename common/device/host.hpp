/// \file
/// Devices as host threads. Beyond the ordinary mode (one thread drains all streams of
/// a device in a legal order) there are two for tests, and hooks to break things on
/// purpose.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "device/device.hpp"

namespace pipeline {

enum class HostDrain {
  ThreadPerDevice,  ///< the ordinary mode
  ThreadPerStream,  ///< every stream runs freely: for the thread sanitizer
  Seeded,  ///< one thread, all devices: picks any legal next item by a seeded draw,
           ///< once everything was issued (`synchronize` runs it)
};

/// Names a wait that the caller issued: the `ordinal`-th of the platform's life.
struct WaitInfo {
  std::uint64_t ordinal = 0;
  const char* site = "";  ///< what the runtime calls this wait (see WaitSite)
};

struct HostOptions {
  HostDrain drain = HostDrain::ThreadPerDevice;
  std::uint64_t seed = 1;
  /// Asked at each wait; true drops it. With `Seeded`, what the dropped wait would have
  /// waited for is then run as late as the remaining order allows.
  std::function<bool(const WaitInfo&)> drop_wait;
  /// Asked before each item; microseconds to sleep first (threaded modes).
  std::function<std::uint32_t(std::int32_t device, std::uint64_t item)> delay;
};

std::unique_ptr<Platform> make_host_platform(std::int32_t devices,
                                             HostOptions options = {});

}  // namespace pipeline
