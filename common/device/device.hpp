/// \file
/// Devices, streams, events and memory behind one asynchronous interface, which the
/// host and CUDA implement. The runtime is written once against it: copy streams, event
/// waits and double buffers are the same code on every backend.
///
///     worker thread          device
///     compute.run(F0)  ───►  compute ─[F0]─●ready─────[F1]──
///     copy.wait(ready) ───►  copy    ──────╰─[copy 0]─●sent──
///
/// Nothing here blocks the caller but `synchronize` and a full queue of a host stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "schedule/error.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

class Device;
class Platform;

/// A view of bytes that live on a device, or on the host (device == nullptr).
struct Region {
  std::byte* data = nullptr;       ///< the first byte, or null where there are none
  std::size_t bytes = 0;           ///< how many
  const Device* device = nullptr;  ///< whose memory it is; null: the host's

  /// The same bytes as floats.
  float* floats() const { return reinterpret_cast<float*>(data); }
  /// How many whole floats there are.
  std::size_t float_count() const { return bytes / sizeof(float); }
};

/// What a stream's native handle is: a cudaStream_t, or null on the host.
using NativeStream = void*;

/// A piece of work for a stream: a small trivially copyable callable taking the native
/// stream, kept inline so that queueing allocates nothing. On the host it runs when the
/// stream reaches it; on CUDA it is called at once and launches its kernels on the
/// stream.
class Work {
 public:
  /// The most bytes that a callable may take.
  static constexpr std::size_t kCapacity = 96;

  /// Keeps a copy of `callable`.
  template <typename F>
  explicit Work(const F& callable) {
    static_assert(sizeof(F) <= kCapacity, "capture pointers, not values");
    static_assert(std::is_trivially_copyable_v<F>);
    new (storage_) F(callable);
    call_ = [](const void* f, NativeStream stream) {
      (*std::launder(static_cast<const F*>(f)))(stream);
    };
  }
  /// Calls it.
  void operator()(NativeStream stream) const { call_(storage_, stream); }

 private:
  void (*call_)(const void*, NativeStream) = nullptr;
  alignas(16) std::byte storage_[kCapacity];
};

/// A point in a stream that other streams can wait for, of any device. Recorded on
/// streams of the device that made it. May be recorded again; a wait refers to the
/// latest record issued before it. Waiting for an event that was never recorded is a
/// fault of the caller (CUDA would silently not wait).
class Event {
 public:
  virtual ~Event() = default;
};

/// A point in a stream whose time is kept. Read it after the stream was synchronized.
class TimeMark {
 public:
  virtual ~TimeMark() = default;
};

/// An ordered queue of work on one device. Its destructor blocks as `synchronize` does.
class Stream {
 public:
  virtual ~Stream() = default;
  /// The device whose work it is.
  virtual Device& device() const = 0;
  /// Issues a piece of work.
  virtual void run(const Work& work) = 0;
  /// Copies `from.bytes` bytes; either side may be host memory or another device's.
  /// Host memory must stay valid until the stream has passed this point.
  virtual void copy(Region to, Region from) = 0;
  /// Issues the writing of zeros over a region of this device.
  virtual void fill_zero(Region region) = 0;
  /// Issues the recording of an event.
  virtual void record(Event& event) = 0;
  /// `site` names the reason of the wait, for the hook that drops waits in tests.
  virtual void wait(const Event& event, const char* site = "") = 0;
  /// Issues the taking of a time.
  virtual void mark(TimeMark& mark) = 0;
  /// Blocks the caller until all that was issued has run.
  virtual void synchronize() = 0;
};

/// Bytes held on a device, and the most that were ever held; counted on every allocate
/// and free. `allocations` counts the calls.
struct MeterReading {
  std::size_t live_bytes = 0;     ///< now
  std::size_t peak_bytes = 0;     ///< at most, so far
  std::uint64_t allocations = 0;  ///< so far
};

/// Memory that a device owns, 64-byte aligned at least; freed with the object, which
/// must go before its platform and after the work that uses it.
class Buffer {
 public:
  Buffer() = default;
  /// Memory of a device; no bytes need no allocation.
  Buffer(Device& device, std::size_t bytes);
  /// Host memory that streams copy from and to without ever blocking the issuing thread
  /// (page-locked on CUDA, where a copy from ordinary memory may block). Not metered.
  Buffer(Platform& platform, std::size_t bytes);
  ~Buffer();
  /// Takes over the memory.
  Buffer(Buffer&& other) noexcept;
  /// Takes over the memory, and frees its own.
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// All of it.
  Region region() const { return region_; }
  /// Part of it, in bytes.
  Region part(std::size_t offset, std::size_t bytes) const;

 private:
  Region region_;
  Device* device_ = nullptr;      // who frees it: the device ...
  Platform* platform_ = nullptr;  // ... or, for host memory, the platform
};

/// One pipeline device: a host thread, a pair of streams of a shared GPU, or a GPU.
class Device {
 public:
  virtual ~Device() = default;
  /// Its number among the devices of its platform, from 0.
  virtual std::int32_t index() const = 0;
  /// A new, empty stream; `name` is for messages.
  virtual std::unique_ptr<Stream> make_stream(std::string name) = 0;
  /// A new event, not recorded yet.
  virtual std::unique_ptr<Event> make_event() = 0;
  /// A new mark, without a time yet.
  virtual std::unique_ptr<TimeMark> make_mark() = 0;
  /// What its buffers hold.
  virtual MeterReading meter() const = 0;
  /// Bytes that streams copied here from other devices.
  virtual std::uint64_t bytes_received() const = 0;

 protected:
  friend class Buffer;
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* data, std::size_t bytes) = 0;
};

/// All devices of a run.
class Platform {
 public:
  virtual ~Platform() = default;
  /// What a run on it may be reported as.
  virtual Level level() const = 0;
  /// How many there are.
  virtual std::int32_t devices() const = 0;
  /// The device of that number, from 0.
  virtual Device& device(std::int32_t index) = 0;
  /// Seconds from `from` to `to`; both must have been passed.
  virtual double seconds_between(const TimeMark& from, const TimeMark& to) const = 0;
  /// The first thing that went wrong, in one line, or empty: a call that broke a rule
  /// of this interface, a failed call of CUDA. Whoever waited for a step asks
  /// afterwards.
  virtual std::string fault() const = 0;

 protected:
  friend class Buffer;
  virtual std::byte* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(std::byte* data, std::size_t bytes) = 0;
};

/// The backend that this build was configured for, with this many pipeline devices. On
/// CUDA, devices share GPUs when there are fewer; without a GPU it is refused.
Expected<std::unique_ptr<Platform>> make_platform(std::int32_t devices);

}  // namespace pipeline
