/// \file
/// Devices as host threads. Beyond the ordinary mode (one thread drains all streams of
/// a device in a legal order) there are two for tests, and hooks to break things on
/// purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "device/device.hpp"

namespace pipeline {

/// Which threads run the work of streams.
enum class HostDrain {
  ThreadPerDevice,  ///< the ordinary mode
  ThreadPerStream,  ///< every stream runs freely: for the thread sanitizer
  Seeded,  ///< one thread, all devices: picks any legal next item by a seeded draw,
           ///< once everything was issued (`synchronize` runs it)
};

/// Names a wait that the caller issued. Where several threads issue, `ordinal` depends
/// on which comes first; device, stream and `in_stream` do not.
struct WaitInfo {
  std::uint64_t ordinal = 0;    ///< among all waits of the platform, from 0
  const char* site = "";        ///< what the runtime calls this wait (see WaitSite)
  std::int32_t device = 0;      ///< of the stream that would wait
  std::string_view stream;      ///< its name
  std::uint64_t in_stream = 0;  ///< among the waits of that stream, from 0
};

/// A link that is slow on purpose: a copy from one device to another takes at least
/// `latency_seconds` and the time that its bytes need, while the computations of both
/// devices go on. The copies of one stream follow one another, so that a message
/// occupies the copy stream of the device that pulls it all that time. (Its time
/// begins when all that it waited for has happened. The end is noticed between two
/// pieces of work, or within some 0.1 ms where the device is idle.)
struct SlowLink {
  double latency_seconds = 0;   ///< added to each copy
  double bytes_per_second = 0;  ///< 0: size costs nothing
};

/// How the host platform behaves; what is not the default is for tests.
struct HostOptions {
  HostDrain drain = HostDrain::ThreadPerDevice;  ///< which threads there are
  std::uint64_t seed = 1;                        ///< of what `Seeded` draws
  /// Asked at each wait; true drops it. With `Seeded`, what the dropped wait would have
  /// waited for is then run as late as the remaining order allows.
  std::function<bool(const WaitInfo&)> drop_wait = {};
  /// Asked before each item; microseconds to sleep first (threaded modes). `item` is
  /// the same number for the same item in each run: 2^32 * (how many streams were made
  /// before its stream) + its place in the stream.
  std::function<std::uint32_t(std::int32_t device, std::uint64_t item)> delay = {};
  /// Between all devices. Of no effect with `Seeded`, which knows no time.
  SlowLink link = {};
  /// Items that a stream can hold before the issuing thread is blocked. `Seeded` holds
  /// any number, since nothing runs before `synchronize`.
  std::size_t queue_capacity = 1024;
};

/// Never refuses. In the two modes for tests fresh memory is filled with 0xFF bytes
/// (floats: NaN), so that reading what nothing wrote shows. A wait for an event that
/// was never recorded, a copy between regions of unequal size and one that touches
/// freed memory are left out and reported by `fault()`.
///
/// `Seeded` always comes to an end: a wait names a record that was issued before it, so
/// the item issued first among those left can always run.
std::unique_ptr<Platform> make_host_platform(std::int32_t devices,
                                             HostOptions options = {});

}  // namespace pipeline
