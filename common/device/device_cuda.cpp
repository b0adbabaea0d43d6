#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda.hpp"
#include "device/cuda_launch.hpp"

namespace pipeline {
namespace {

class CudaPlatform;

/// A device's place: whose fault it is, and the GPU to make current.
struct Place {
  CudaPlatform& platform;
  std::int32_t device;
  int gpu;

  /// Makes the GPU current for this thread; false once anything went wrong.
  bool enter() const;
  void check(cudaError_t error, const char* call) const;
};

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(const Place& place) : place_(place) {
    if (!place_.enter()) return;
    place_.check(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags");
  }
  ~CudaEvent() override {
    if (handle == nullptr) return;
    cudaSetDevice(place_.gpu);
    cudaEventDestroy(handle);
  }

  cudaEvent_t handle = nullptr;
  std::atomic<bool> recorded{false};

 private:
  Place place_;
};

class CudaMark final : public TimeMark {
 public:
  explicit CudaMark(const Place& place) : place_(place) {
    if (!place_.enter()) return;
    place_.check(cudaEventCreateWithFlags(&handle, cudaEventDefault),
                 "cudaEventCreateWithFlags");
  }
  ~CudaMark() override {
    if (handle == nullptr) return;
    cudaSetDevice(place_.gpu);
    cudaEventDestroy(handle);
  }
  const Place& place() const { return place_; }

  cudaEvent_t handle = nullptr;

 private:
  Place place_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const Place& place) : place_(place) {}

  std::int32_t index() const override { return place_.device; }
  int gpu() const { return place_.gpu; }
  std::unique_ptr<Stream> make_stream(std::string name) override;
  std::unique_ptr<Event> make_event() override {
    return std::make_unique<CudaEvent>(place_);
  }
  std::unique_ptr<TimeMark> make_mark() override {
    return std::make_unique<CudaMark>(place_);
  }
  MeterReading meter() const override {
    const std::lock_guard lock(mutex_);
    return meter_;
  }
  std::uint64_t bytes_received() const override { return received.load(); }

  std::atomic<std::uint64_t> received{0};

 protected:
  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;

 private:
  Place place_;
  mutable std::mutex mutex_;
  MeterReading meter_;
};

/// Where a GPU's clock stands on the host's: `event` happened at `seconds`.
struct ClockBase {
  cudaEvent_t event = nullptr;
  double seconds = 0;
};

class CudaPlatform final : public Platform {
 public:
  CudaPlatform(std::int32_t devices, int gpus);
  ~CudaPlatform() override;

  Level level() const override {
    const bool one_each = devices() > 1 && devices() <= gpus_;
    return one_each ? Level::Gpus : Level::OneGpu;
  }
  std::int32_t devices() const override {
    return static_cast<std::int32_t>(devices_.size());
  }
  Device& device(std::int32_t index) override { return *devices_[index]; }
  CudaDevice& at(std::int32_t index) { return *devices_[index]; }
  double seconds_between(const TimeMark& from, const TimeMark& to) const override;
  std::string fault() const override {
    const std::lock_guard lock(mutex_);
    return fault_;
  }
  void report(std::string fault) {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = std::move(fault);
    faulty_ = true;
  }
  bool is_faulty() const { return faulty_; }

  /// Whether a stream on GPU `from` may use memory of GPU `to` directly.
  bool reaches(int from, int to) const { return from == to || peers_[from][to]; }

 protected:
  std::byte* allocate_host(std::size_t bytes) override;
  void release_host(std::byte* data, std::size_t bytes) override;

 private:
  Place place_of_gpu(int gpu) { return {*this, gpu, gpu}; }
  int used_gpus() const { return std::min(gpus_, devices()); }
  void enable_peer_access();
  void read_clocks();
  float milliseconds(const Place& place, cudaEvent_t from, cudaEvent_t to) const;
  double on_host_clock(const CudaMark& mark) const;

  const int gpus_;
  mutable std::mutex mutex_;
  std::string fault_;
  std::atomic<bool> faulty_{false};
  std::vector<std::unique_ptr<CudaDevice>> devices_;
  std::vector<std::vector<bool>> peers_;
  std::vector<ClockBase> clocks_;  // a GPU each; empty where one GPU does all
};

class CudaStream final : public Stream {
 public:
  CudaStream(const Place& place, Device& device, std::string name)
      : place_(place), device_(device), name_(std::move(name)) {
    if (!place_.enter()) return;
    place_.check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags");
  }
  ~CudaStream() override {
    if (handle_ == nullptr) return;
    CudaStream::synchronize();
    cudaSetDevice(place_.gpu);
    cudaStreamDestroy(handle_);
  }

  Device& device() const override { return device_; }
  void run(const Work& work) override;
  void copy(Region to, Region from) override;
  void fill_zero(Region region) override;
  void record(Event& event) override;
  void wait(const Event& event, const char* site) override;
  void mark(TimeMark& mark) override;
  void synchronize() override;

 private:
  std::string called() const {
    return "device " + std::to_string(place_.device) + ", stream '" + name_ + "': ";
  }

  Place place_;
  Device& device_;
  std::string name_;
  cudaStream_t handle_ = nullptr;
};

// --- Place
// ----------------------------------------------------------------------------

bool Place::enter() const {
  check(cudaSetDevice(gpu), "cudaSetDevice");
  return !platform.is_faulty();
}

void Place::check(cudaError_t error, const char* call) const {
  if (error == cudaSuccess) return;
  platform.report(std::string(call) + " on device " + std::to_string(device) +
                  " (GPU " + std::to_string(gpu) + "): " + cudaGetErrorString(error));
}

// --- Device
// ---------------------------------------------------------------------------

std::unique_ptr<Stream> CudaDevice::make_stream(std::string name) {
  return std::make_unique<CudaStream>(place_, *this, std::move(name));
}

std::byte* CudaDevice::allocate(std::size_t bytes) {
  void* data = nullptr;
  if (!place_.enter()) return nullptr;
  const cudaError_t error = cudaMalloc(&data, bytes);
  place_.check(error, ("cudaMalloc of " + std::to_string(bytes) + " bytes").c_str());
  if (error != cudaSuccess) return nullptr;
  const std::lock_guard lock(mutex_);
  meter_.live_bytes += bytes;
  meter_.peak_bytes = std::max(meter_.peak_bytes, meter_.live_bytes);
  ++meter_.allocations;
  return static_cast<std::byte*>(data);
}

void CudaDevice::release(std::byte* data, std::size_t bytes) {
  cudaSetDevice(place_.gpu);
  place_.check(cudaFree(data), "cudaFree");
  const std::lock_guard lock(mutex_);
  meter_.live_bytes -= bytes;
}

// --- Stream
// ---------------------------------------------------------------------------

void CudaStream::run(const Work& work) {
  if (!place_.enter()) return;
  launch_on_stream(work, handle_);
  place_.check(cudaGetLastError(), "a kernel launch");
}

void CudaStream::copy(Region to, Region from) {
  if (to.bytes != from.bytes) {
    place_.platform.report(called() + "copies " + std::to_string(from.bytes) +
                           " bytes into a region of " + std::to_string(to.bytes));
    return;
  }
  if (to.bytes == 0 || !place_.enter()) return;
  const auto gpu_of = [this](const Region& region) {
    return region.device == nullptr ? place_.gpu
                                    : place_.platform.at(region.device->index()).gpu();
  };
  const int to_gpu = gpu_of(to);
  const int from_gpu = gpu_of(from);
  if (place_.platform.reaches(place_.gpu, to_gpu) &&
      place_.platform.reaches(place_.gpu, from_gpu)) {
    place_.check(
        cudaMemcpyAsync(to.data, from.data, to.bytes, cudaMemcpyDefault, handle_),
        "cudaMemcpyAsync");
  } else {
    place_.check(
        cudaMemcpyPeerAsync(to.data, to_gpu, from.data, from_gpu, to.bytes, handle_),
        "cudaMemcpyPeerAsync");
  }
  if (to.device != nullptr && from.device != nullptr && to.device != from.device) {
    place_.platform.at(to.device->index()).received += to.bytes;
  }
}

void CudaStream::fill_zero(Region region) {
  if (region.bytes == 0 || !place_.enter()) return;
  place_.check(cudaMemsetAsync(region.data, 0, region.bytes, handle_),
               "cudaMemsetAsync");
}

void CudaStream::record(Event& event) {
  if (!place_.enter()) return;
  auto& cuda = static_cast<CudaEvent&>(event);
  place_.check(cudaEventRecord(cuda.handle, handle_), "cudaEventRecord");
  cuda.recorded = true;
}

void CudaStream::wait(const Event& event, const char* site) {
  const auto& cuda = static_cast<const CudaEvent&>(event);
  if (!cuda.recorded) {
    place_.platform.report(
        called() + "waits for an event that was never recorded (site '" + site + "')");
  }
  if (!place_.enter()) return;
  place_.check(cudaStreamWaitEvent(handle_, cuda.handle, 0), "cudaStreamWaitEvent");
}

void CudaStream::mark(TimeMark& mark) {
  if (!place_.enter()) return;
  place_.check(cudaEventRecord(static_cast<CudaMark&>(mark).handle, handle_),
               "cudaEventRecord");
}

void CudaStream::synchronize() {
  if (!place_.enter()) return;
  place_.check(cudaStreamSynchronize(handle_), "cudaStreamSynchronize");
}

// --- Platform
// -------------------------------------------------------------------------

CudaPlatform::CudaPlatform(std::int32_t devices, int gpus) : gpus_(gpus) {
  for (std::int32_t d = 0; d < devices; ++d) {
    devices_.push_back(std::make_unique<CudaDevice>(Place{*this, d, d % gpus}));
  }
  enable_peer_access();
  read_clocks();
}

CudaPlatform::~CudaPlatform() {
  for (std::size_t gpu = 0; gpu < clocks_.size(); ++gpu) {
    if (clocks_[gpu].event == nullptr) continue;
    cudaSetDevice(static_cast<int>(gpu));
    cudaEventDestroy(clocks_[gpu].event);
  }
}

void CudaPlatform::enable_peer_access() {
  const int gpus = used_gpus();
  peers_.assign(gpus, std::vector<bool>(gpus, false));
  for (int from = 0; from < gpus; ++from) {
    const Place place = place_of_gpu(from);
    for (int to = 0; to < gpus; ++to) {
      int can = 0;
      if (from == to || !place.enter()) continue;
      place.check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
      if (can == 0) continue;
      const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // an earlier platform did it; forget the error
      } else {
        place.check(error, "cudaDeviceEnablePeerAccess");
      }
      peers_[from][to] = true;
    }
  }
}

// The event happens between two readings of the host's clock, so their mean is wrong by
// at most half their distance. The closest pair of several tries is kept.
void CudaPlatform::read_clocks() {
  constexpr int kTries = 20;
  const auto now = [] {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  if (used_gpus() == 1) return;
  clocks_.resize(used_gpus());
  for (int gpu = 0; gpu < used_gpus(); ++gpu) {
    const Place place = place_of_gpu(gpu);
    CudaMark latest(place);
    CudaMark best(place);
    cudaStream_t stream = nullptr;
    if (!place.enter()) return;
    place.check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                "cudaStreamCreateWithFlags");
    double distance = 1e9;
    for (int i = 0; i < kTries && place.enter(); ++i) {
      place.check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      const double before = now();
      place.check(cudaEventRecord(latest.handle, stream), "cudaEventRecord");
      place.check(cudaEventSynchronize(latest.handle), "cudaEventSynchronize");
      const double after = now();
      if (after - before >= distance) continue;
      distance = after - before;
      clocks_[gpu].seconds = (before + after) / 2;
      std::swap(latest.handle, best.handle);
    }
    clocks_[gpu].event = std::exchange(best.handle, nullptr);
    cudaStreamDestroy(stream);
  }
}

double CudaPlatform::seconds_between(const TimeMark& from, const TimeMark& to) const {
  const auto& start = static_cast<const CudaMark&>(from);
  const auto& end = static_cast<const CudaMark&>(to);
  if (start.place().gpu == end.place().gpu) {
    return milliseconds(start.place(), start.handle, end.handle) * 1e-3;
  }
  return on_host_clock(end) - on_host_clock(start);
}

double CudaPlatform::on_host_clock(const CudaMark& mark) const {
  const ClockBase& base = clocks_[mark.place().gpu];
  return base.seconds + milliseconds(mark.place(), base.event, mark.handle) * 1e-3;
}

float CudaPlatform::milliseconds(const Place& place, cudaEvent_t from,
                                 cudaEvent_t to) const {
  float result = 0;
  if (!place.enter()) return result;
  place.check(cudaEventElapsedTime(&result, from, to), "cudaEventElapsedTime");
  return result;
}

// Host memory belongs to no GPU, so whichever is current will do.
std::byte* CudaPlatform::allocate_host(std::size_t bytes) {
  void* data = nullptr;
  if (is_faulty()) return nullptr;
  place_of_gpu(0).check(cudaMallocHost(&data, bytes), "cudaMallocHost");
  return static_cast<std::byte*>(data);
}

void CudaPlatform::release_host(std::byte* data, std::size_t /*bytes*/) {
  place_of_gpu(0).check(cudaFreeHost(data), "cudaFreeHost");
}

}  // namespace

Expected<std::unique_ptr<Platform>> make_cuda_platform(std::int32_t devices) {
  int gpus = 0;
  const cudaError_t error = cudaGetDeviceCount(&gpus);
  if (error != cudaSuccess || gpus == 0) {
    return absent(
        std::string("no GPU here: ") + (error != cudaSuccess ? cudaGetErrorString(error)
                                                             : "CUDA counts 0 devices"),
        "check that nvidia-smi lists a GPU, or use the host preset");
  }
  auto platform = std::make_unique<CudaPlatform>(devices, gpus);
  if (!platform->fault().empty()) {
    return refuse("the GPU can't be used: " + platform->fault(),
                  "check that nvidia-smi lists it as free, or use the host preset");
  }
  return platform;
}

}  // namespace pipeline
