#include "device/host.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "device/host_drain.hpp"

namespace pipeline {
namespace {

constexpr std::align_val_t kAlignment{64};

/// What a copy of so many bytes between two devices takes at least.
std::chrono::nanoseconds time_on(const HostOptions& options, std::size_t bytes) {
  if (options.drain == HostDrain::Seeded) return {};
  double seconds = options.link.latency_seconds;
  if (options.link.bytes_per_second > 0) {
    seconds += static_cast<double>(bytes) / options.link.bytes_per_second;
  }
  return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

class HostPlatform;

class HostEvent final : public Event {
 public:
  explicit HostEvent(const Device& maker) : device(maker) {}

  const Device& device;

  void set(host::Point point) {
    const std::lock_guard lock(mutex_);
    point_ = point;
  }
  host::Point latest() const {
    const std::lock_guard lock(mutex_);
    return point_;
  }

 private:
  mutable std::mutex mutex_;
  host::Point point_;
};

class HostDevice final : public Device {
 public:
  HostDevice(HostPlatform& platform, std::int32_t index)
      : platform_(platform), index_(index) {}

  std::int32_t index() const override { return index_; }
  std::unique_ptr<Stream> make_stream(std::string name) override;
  std::unique_ptr<Event> make_event() override {
    return std::make_unique<HostEvent>(*this);
  }
  std::unique_ptr<TimeMark> make_mark() override {
    return std::make_unique<host::Mark>();
  }
  MeterReading meter() const override {
    const std::lock_guard lock(mutex_);
    return meter_;
  }
  std::uint64_t bytes_received() const override { return received.load(); }

  /// Whether these bytes lie in memory that this device holds now.
  bool holds(const Region& region) const {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.upper_bound(region.data);
    if (block == blocks_.begin()) return region.bytes == 0;
    --block;
    return region.data + region.bytes <= block->first + block->second;
  }

  std::atomic<std::uint64_t> received{0};

 protected:
  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;

 private:
  HostPlatform& platform_;
  std::int32_t index_;
  mutable std::mutex mutex_;
  MeterReading meter_;
  std::map<const std::byte*, std::size_t> blocks_;
};

class HostPlatform final : public Platform {
 public:
  HostPlatform(std::int32_t devices, HostOptions options);
  ~HostPlatform() override;

  Level level() const override { return Level::HostThreads; }
  std::int32_t devices() const override {
    return static_cast<std::int32_t>(devices_.size());
  }
  Device& device(std::int32_t index) override { return *devices_[index]; }
  double seconds_between(const TimeMark& from, const TimeMark& to) const override;
  std::string fault() const override {
    const std::lock_guard lock(mutex_);
    return fault_;
  }
  void report(std::string fault) const {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = std::move(fault);
  }

  const HostOptions& options() const { return options_; }
  bool is_seeded() const { return options_.drain == HostDrain::Seeded; }
  bool poisons_memory() const { return options_.drain != HostDrain::ThreadPerDevice; }

  host::Queue& add_queue(std::int32_t device, std::string name, std::mutex& issuing);
  std::unique_ptr<host::Drainer> make_drainer(std::int32_t device, host::Idle idle) {
    return std::make_unique<host::Drainer>(bells_, static_cast<std::size_t>(device),
                                           idle, options_.delay);
  }
  host::Drainer& drainer(std::int32_t device) { return *drainers_[device]; }
  std::uint64_t next_wait() { return waits_.fetch_add(1, std::memory_order_relaxed); }

  /// Locked by whoever issues or drains in `Seeded` mode.
  std::mutex& seeded_mutex() { return seeded_mutex_; }
  host::SeededDrain& seeded() { return seeded_; }

 protected:
  std::byte* allocate_host(std::size_t bytes) override {
    return static_cast<std::byte*>(::operator new(bytes, kAlignment));
  }
  void release_host(std::byte* data, std::size_t /*bytes*/) override {
    ::operator delete(data, kAlignment);
  }

 private:
  const HostOptions options_;
  mutable std::mutex mutex_;  // guards `fault_` and `queues_`
  mutable std::string fault_;
  std::atomic<std::uint64_t> waits_{0};
  std::vector<std::unique_ptr<HostDevice>> devices_;
  // Kept to the end: waits and events refer to queues of streams that are gone.
  std::vector<std::unique_ptr<host::Queue>> queues_;
  std::mutex seeded_mutex_;
  host::SeededDrain seeded_;
  std::vector<host::Bell> bells_;
  std::vector<std::unique_ptr<host::Drainer>> drainers_;  // ThreadPerDevice
};

class HostStream final : public Stream {
 public:
  HostStream(HostPlatform& platform, HostDevice& device, std::string name);
  ~HostStream() override;

  Device& device() const override { return device_; }
  void run(const Work& work) override { issue(work); }
  void copy(Region to, Region from) override;
  void fill_zero(Region region) override;
  void record(Event& event) override;
  void wait(const Event& event, const char* site) override;
  void mark(TimeMark& mark) override {
    issue(host::MarkItem{&static_cast<host::Mark&>(mark)});
  }
  void synchronize() override;

 private:
  host::Point issue(const host::Item& item);
  bool may_use(const Region& region, const char* what) const;
  std::string called() const {
    return "device " + std::to_string(device_.index()) + ", stream '" + queue_.name() +
           "': ";
  }

  HostPlatform& platform_;
  HostDevice& device_;
  std::mutex mutex_;
  host::Queue& queue_;
  std::atomic<std::uint64_t> waits_{0};
  std::unique_ptr<host::Drainer> own_drainer_;  // ThreadPerStream
};

// --- Device
// ---------------------------------------------------------------------------

std::unique_ptr<Stream> HostDevice::make_stream(std::string name) {
  return std::make_unique<HostStream>(platform_, *this, std::move(name));
}

std::byte* HostDevice::allocate(std::size_t bytes) {
  auto* data = static_cast<std::byte*>(::operator new(bytes, kAlignment));
  if (platform_.poisons_memory()) std::memset(data, 0xFF, bytes);
  const std::lock_guard lock(mutex_);
  meter_.live_bytes += bytes;
  meter_.peak_bytes = std::max(meter_.peak_bytes, meter_.live_bytes);
  ++meter_.allocations;
  blocks_[data] = bytes;
  return data;
}

void HostDevice::release(std::byte* data, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    meter_.live_bytes -= bytes;
    blocks_.erase(data);
  }
  ::operator delete(data, kAlignment);
}

// --- Platform
// -------------------------------------------------------------------------

HostPlatform::HostPlatform(std::int32_t devices, HostOptions options)
    : options_(std::move(options)), seeded_(options_.seed), bells_(devices) {
  const auto cores = static_cast<std::int32_t>(std::thread::hardware_concurrency());
  for (std::int32_t d = 0; d < devices; ++d) {
    devices_.push_back(std::make_unique<HostDevice>(*this, d));
    if (options_.drain != HostDrain::ThreadPerDevice) continue;
    drainers_.push_back(make_drainer(
        d, devices <= cores ? host::Idle::SpinThenSleep : host::Idle::Sleep));
  }
}

HostPlatform::~HostPlatform() {
  for (const auto& device : devices_) {
    assert(device->meter().live_bytes == 0 && "free buffers before their platform");
  }
}

double HostPlatform::seconds_between(const TimeMark& from, const TimeMark& to) const {
  const std::int64_t start = static_cast<const host::Mark&>(from).nanoseconds;
  const std::int64_t end = static_cast<const host::Mark&>(to).nanoseconds;
  if (start == 0 || end == 0) {
    report("seconds_between: a time mark was read before its stream passed it");
    return 0;
  }
  return static_cast<double>(end - start) * 1e-9;
}

host::Queue& HostPlatform::add_queue(std::int32_t device, std::string name,
                                     std::mutex& issuing) {
  const std::lock_guard lock(mutex_);
  queues_.push_back(std::make_unique<host::Queue>(
      static_cast<std::uint32_t>(queues_.size()), device, std::move(name),
      options_.queue_capacity, is_seeded(), issuing));
  return *queues_.back();
}

// --- Stream
// ---------------------------------------------------------------------------

HostStream::HostStream(HostPlatform& platform, HostDevice& device, std::string name)
    : platform_(platform),
      device_(device),
      queue_(
          platform.add_queue(device.index(), std::move(name),
                             platform.is_seeded() ? platform.seeded_mutex() : mutex_)) {
  switch (platform_.options().drain) {
    case HostDrain::ThreadPerDevice:
      platform_.drainer(device_.index()).add(queue_);
      break;
    case HostDrain::ThreadPerStream:
      own_drainer_ = platform_.make_drainer(device_.index(), host::Idle::Poll);
      own_drainer_->add(queue_);
      break;
    case HostDrain::Seeded:
      const std::lock_guard lock(platform_.seeded_mutex());
      platform_.seeded().add(queue_);
      break;
  }
}

// As on CUDA, what was issued still runs.
HostStream::~HostStream() {
  HostStream::synchronize();
  if (platform_.options().drain == HostDrain::ThreadPerDevice) {
    platform_.drainer(device_.index()).remove(queue_);
  }
}

host::Point HostStream::issue(const host::Item& item) {
  const host::Point point = queue_.push(item);
  if (platform_.options().drain == HostDrain::ThreadPerDevice) {
    platform_.drainer(device_.index()).wake();
  }
  return point;
}

void HostStream::copy(Region to, Region from) {
  if (to.bytes != from.bytes) {
    platform_.report(called() + "copies " + std::to_string(from.bytes) +
                     " bytes into a region of " + std::to_string(to.bytes));
    return;
  }
  if (!may_use(to, "copies into") || !may_use(from, "copies from")) return;
  host::CopyItem item{to, from};
  if (to.device != nullptr && from.device != nullptr && to.device != from.device) {
    item.received =
        &static_cast<HostDevice&>(platform_.device(to.device->index())).received;
    item.takes = time_on(platform_.options(), to.bytes);
    item.issued = std::chrono::steady_clock::now();
  }
  issue(item);
}

void HostStream::fill_zero(Region region) {
  if (may_use(region, "fills")) issue(host::ZeroItem{region});
}

bool HostStream::may_use(const Region& region, const char* what) const {
  if (region.device == nullptr ||
      static_cast<const HostDevice*>(region.device)->holds(region)) {
    return true;
  }
  platform_.report(called() + what + " memory that device " +
                   std::to_string(region.device->index()) + " does not hold");
  return false;
}

void HostStream::record(Event& event) {
  auto& own = static_cast<HostEvent&>(event);
  if (&own.device == &device_) {
    own.set(issue(host::RecordItem{}));
  } else {
    platform_.report(called() + "records an event of device " +
                     std::to_string(own.device.index()));
  }
}

void HostStream::wait(const Event& event, const char* site) {
  const host::Point until = static_cast<const HostEvent&>(event).latest();
  if (until.queue == nullptr) {
    platform_.report(called() + "waits for an event that was never recorded (site '" +
                     site + "')");
    return;
  }
  const WaitInfo info{platform_.next_wait(), site, device_.index(), queue_.name(),
                      waits_.fetch_add(1, std::memory_order_relaxed)};
  if (!platform_.options().drop_wait || !platform_.options().drop_wait(info)) {
    issue(host::WaitItem{until});
  } else if (platform_.is_seeded()) {
    const std::lock_guard lock(platform_.seeded_mutex());
    platform_.seeded().defer(until);
  }
}

void HostStream::synchronize() {
  if (platform_.is_seeded()) {
    std::unique_lock lock(platform_.seeded_mutex());
    platform_.seeded().drain(lock);
    return;
  }
  host::Signal signal;
  issue(host::SignalItem{&signal});
  signal.await();
}

}  // namespace

std::unique_ptr<Platform> make_host_platform(std::int32_t devices,
                                             HostOptions options) {
  return std::make_unique<HostPlatform>(devices, std::move(options));
}

}  // namespace pipeline
