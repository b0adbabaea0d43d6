#include "device/fake/fake_cuda.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "device/cuda_launch.hpp"

// What a handle points to. Handles outlive their destruction, so that a use of one that
// was destroyed is found and does no harm.
struct FakeStream {
  int gpu = 0;
  std::string name;
  std::unique_ptr<pipeline::Stream> stream;  // null once destroyed
  std::uint64_t issued = 0;
  // Relaxed: it must not order threads that the program itself does not.
  std::atomic<std::uint64_t> done{0};

  bool has_done(std::uint64_t item) const {
    return done.load(std::memory_order_relaxed) >= item;
  }
  bool is_pending() const { return !has_done(issued); }
};

struct FakeEvent {
  int gpu = 0;
  std::string name;
  std::unique_ptr<pipeline::Event> event;    // null once destroyed
  std::unique_ptr<pipeline::TimeMark> mark;  // null without timing
  FakeStream* recorded_on = nullptr;
  std::uint64_t recorded_at = 0;
};

namespace pipeline {
namespace {

constexpr int kHost = -1;
thread_local int current_gpu = 0;

std::string gpu_text(int gpu) {
  return gpu == kHost ? "the host" : "GPU " + std::to_string(gpu);
}

template <typename... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace

/// Everything behind the functions of cuda_runtime_api.h, which lock `mutex` and call
/// the member of the same meaning.
class FakeCuda::State {
 public:
  explicit State(FakeCudaOptions o)
      : options(std::move(o)),
        host(make_host_platform(options.gpus, options.host)),
        peers(options.gpus),
        live_bytes(options.gpus, 0) {}

  struct Block {
    int gpu = kHost;
    Buffer buffer;
    bool is_free = false;  // kept, since a reused address would hide a use after free
  };

  // --- Checks: each adds a fault and says whether to go on.
  void fault(std::string what) { faults.push_back(std::move(what)); }
  bool is_ignored(const char* function);
  bool is_alive(cudaStream_t stream, const char* call);
  bool is_alive(cudaEvent_t event, const char* call);
  void wants_current(int gpu, const std::string& whose, const char* call);
  Block* find_block(const void* data);
  bool may_use(const Block& block, const void* data, std::size_t bytes,
               const char* call);
  bool reaches(int from, int to) const {
    return to == kHost || from == to || peers[from].count(to) != 0;
  }
  /// Whether its GPU (of host memory, any GPU) still has work, which may touch it.
  bool is_in_use(const Block& block) const;

  // --- Calls. Those that issue give the lock back first: issuing may block while the
  // stream is full, and what it runs may want the lock to allocate.
  using Lock = std::unique_lock<std::mutex>;
  cudaError_t allocate(void** data, std::size_t bytes, int gpu);
  cudaError_t free(void* data, bool on_host, const char* call);
  cudaError_t record(Lock& lock, FakeEvent& event, FakeStream& stream);
  cudaError_t wait(Lock& lock, FakeStream& stream, FakeEvent& event);
  cudaError_t copy(Lock& lock, FakeStream& stream, Region to, Region from,
                   const char* call, bool direct);
  cudaError_t fill(Lock& lock, FakeStream& stream, void* data, std::size_t bytes);
  cudaError_t elapsed(float* milliseconds, const FakeEvent& from, const FakeEvent& to);
  void launch(Lock& lock, FakeStream& stream, const Work& work);
  template <typename F>
  void issue(Lock& lock, FakeStream& stream, const F& item);

  const FakeCudaOptions options;
  std::mutex mutex;
  std::unique_ptr<Platform> host;
  std::vector<std::string> faults;
  std::vector<std::set<int>> peers;
  std::vector<std::size_t> live_bytes;
  std::map<const std::byte*, Block> blocks;
  std::vector<std::unique_ptr<FakeStream>> streams;
  std::vector<std::unique_ptr<FakeEvent>> events;
  std::map<std::string, std::uint64_t> calls;
  bool has_ignored = false;
  std::uint64_t copies_that_may_block = 0;
};

namespace {

FakeCuda::State* the_state = nullptr;

/// The one FakeCuda, locked.
struct Locked {
  Locked() : lock(state().mutex) {}
  static FakeCuda::State& state() {
    assert(the_state != nullptr && "make a FakeCuda first");
    return *the_state;
  }
  FakeCuda::State* operator->() const { return the_state; }

  std::unique_lock<std::mutex> lock;
};

}  // namespace

// --- Checks
// ---------------------------------------------------------------------------

bool FakeCuda::State::is_ignored(const char* function) {
  if (function != options.ignore.function) return false;
  if (calls[function]++ != options.ignore.ordinal) return false;
  has_ignored = true;
  return true;
}

bool FakeCuda::State::is_alive(cudaStream_t stream, const char* call) {
  if (stream != nullptr && stream->stream != nullptr) return true;
  fault(
      text(call, ": ",
           stream == nullptr ? "the stream is null" : stream->name + " was destroyed"));
  return false;
}

bool FakeCuda::State::is_alive(cudaEvent_t event, const char* call) {
  if (event != nullptr && event->event != nullptr) return true;
  fault(text(call, ": ",
             event == nullptr ? "the event is null" : event->name + " was destroyed"));
  return false;
}

void FakeCuda::State::wants_current(int gpu, const std::string& whose,
                                    const char* call) {
  if (gpu == current_gpu) return;
  fault(text(call, ": ", whose, " belongs to GPU ", gpu,
             ", but the current device is GPU ", current_gpu));
}

FakeCuda::State::Block* FakeCuda::State::find_block(const void* data) {
  const auto* at = static_cast<const std::byte*>(data);
  auto after = blocks.upper_bound(at);
  if (after == blocks.begin()) return nullptr;
  Block& block = std::prev(after)->second;
  return at < block.buffer.region().data + block.buffer.region().bytes ? &block
                                                                       : nullptr;
}

bool FakeCuda::State::may_use(const Block& block, const void* data, std::size_t bytes,
                              const char* call) {
  const Region whole = block.buffer.region();
  const bool is_inside =
      static_cast<const std::byte*>(data) + bytes <= whole.data + whole.bytes;
  if (block.is_free) {
    fault(text(call, ": uses memory of ", gpu_text(block.gpu), " after it was freed"));
  } else if (!is_inside) {
    fault(text(call, ": uses ", bytes, " bytes, which end outside their memory on ",
               gpu_text(block.gpu)));
  }
  return is_inside && !block.is_free;
}

bool FakeCuda::State::is_in_use(const Block& block) const {
  return std::any_of(streams.begin(), streams.end(), [&block](const auto& stream) {
    const bool may_touch = block.gpu == kHost || stream->gpu == block.gpu;
    return may_touch && stream->is_pending();
  });
}

// --- Calls
// ----------------------------------------------------------------------------

cudaError_t FakeCuda::State::allocate(void** data, std::size_t bytes, int gpu) {
  *data = nullptr;
  if (gpu != kHost) {
    if (bytes > options.memory_bytes - live_bytes[gpu]) {
      return cudaErrorMemoryAllocation;
    }
    live_bytes[gpu] += bytes;
  }
  Buffer buffer(*host, bytes);
  *data = buffer.region().data;
  std::memset(*data, 0xFF, bytes);
  Block& block = blocks[buffer.region().data];
  block.gpu = gpu;
  block.buffer = std::move(buffer);
  return cudaSuccess;
}

cudaError_t FakeCuda::State::free(void* data, bool on_host, const char* call) {
  auto found = blocks.find(static_cast<const std::byte*>(data));
  if (found == blocks.end() || (found->second.gpu == kHost) != on_host) {
    fault(text(call, ": this memory was never allocated there"));
    return cudaErrorInvalidValue;
  }
  Block& block = found->second;
  if (block.is_free) {
    fault(text(call, ": memory of ", gpu_text(block.gpu), " is freed twice"));
    return cudaErrorInvalidValue;
  }
  if (!on_host) {
    wants_current(block.gpu, "the memory", call);
    live_bytes[block.gpu] -= block.buffer.region().bytes;
  }
  block.is_free = true;
  if (is_in_use(block)) {
    fault(text(call, ": memory of ", gpu_text(block.gpu),
               " is freed while work is pending there"));
  } else {
    std::memset(data, 0xFF, block.buffer.region().bytes);
  }
  return cudaSuccess;
}

// Behind each item goes one that counts, so that the fake knows what is still to run.
template <typename F>
void FakeCuda::State::issue(Lock& lock, FakeStream& stream, const F& item) {
  ++stream.issued;
  lock.unlock();
  item(*stream.stream);
  std::atomic<std::uint64_t>* done = &stream.done;
  stream.stream->run(
      Work([done](NativeStream) { done->fetch_add(1, std::memory_order_relaxed); }));
}

cudaError_t FakeCuda::State::record(Lock& lock, FakeEvent& event, FakeStream& stream) {
  wants_current(stream.gpu, stream.name, "cudaEventRecord");
  if (event.gpu != stream.gpu) {
    fault(text("cudaEventRecord: ", event.name, " belongs to GPU ", event.gpu, ", ",
               stream.name, " to GPU ", stream.gpu));
    return cudaErrorInvalidResourceHandle;
  }
  event.recorded_on = &stream;
  event.recorded_at = stream.issued + 1;
  issue(lock, stream, [&event](Stream& on) {
    if (event.mark != nullptr) on.mark(*event.mark);
    on.record(*event.event);
  });
  return cudaSuccess;
}

cudaError_t FakeCuda::State::wait(Lock& lock, FakeStream& stream, FakeEvent& event) {
  wants_current(stream.gpu, stream.name, "cudaStreamWaitEvent");
  if (event.recorded_on == nullptr) {
    fault(text("cudaStreamWaitEvent: ", stream.name, " waits for ", event.name,
               ", which was never recorded"));
    return cudaSuccess;  // CUDA does not wait, and does not say so
  }
  issue(lock, stream, [&event](Stream& on) { on.wait(*event.event); });
  return cudaSuccess;
}

cudaError_t FakeCuda::State::copy(Lock& lock, FakeStream& stream, Region to,
                                  Region from, const char* call, bool direct) {
  wants_current(stream.gpu, stream.name, call);
  for (const Region& region : {to, from}) {
    const Block* block = find_block(region.data);
    if (block == nullptr) {
      ++copies_that_may_block;
      continue;
    }
    if (!may_use(*block, region.data, region.bytes, call)) return cudaErrorInvalidValue;
    if (direct && !reaches(stream.gpu, block->gpu)) {
      fault(
          text(call, ": GPU ", stream.gpu, " has no peer access to GPU ", block->gpu));
    }
  }
  issue(lock, stream, [&](Stream& on) { on.copy(to, from); });
  return cudaSuccess;
}

cudaError_t FakeCuda::State::fill(Lock& lock, FakeStream& stream, void* data,
                                  std::size_t bytes) {
  wants_current(stream.gpu, stream.name, "cudaMemsetAsync");
  const Block* block = find_block(data);
  if (block == nullptr || block->gpu != stream.gpu) {
    fault(text("cudaMemsetAsync: ", stream.name, " of GPU ", stream.gpu,
               " fills memory of ", gpu_text(block == nullptr ? kHost : block->gpu)));
    return cudaErrorInvalidValue;
  }
  if (!may_use(*block, data, bytes, "cudaMemsetAsync")) return cudaErrorInvalidValue;
  const Region region{static_cast<std::byte*>(data), bytes, nullptr};
  issue(lock, stream, [&](Stream& on) { on.fill_zero(region); });
  return cudaSuccess;
}

cudaError_t FakeCuda::State::elapsed(float* milliseconds, const FakeEvent& from,
                                     const FakeEvent& to) {
  for (const FakeEvent* event : {&from, &to}) {
    if (event->mark == nullptr || event->recorded_on == nullptr) {
      fault(text("cudaEventElapsedTime: ", event->name,
                 event->mark == nullptr ? " keeps no time" : " was never recorded"));
      return cudaErrorInvalidResourceHandle;
    }
    wants_current(event->gpu, event->name, "cudaEventElapsedTime");
    if (!event->recorded_on->has_done(event->recorded_at)) return cudaErrorNotReady;
  }
  if (from.gpu != to.gpu) {
    fault(text("cudaEventElapsedTime: ", from.name, " belongs to GPU ", from.gpu, ", ",
               to.name, " to GPU ", to.gpu));
    return cudaErrorInvalidResourceHandle;
  }
  *milliseconds = static_cast<float>(host->seconds_between(*from.mark, *to.mark) * 1e3);
  return cudaSuccess;
}

void FakeCuda::State::launch(Lock& lock, FakeStream& stream, const Work& work) {
  wants_current(stream.gpu, stream.name, "a kernel launch");
  issue(lock, stream, [&](Stream& on) { on.run(work); });
}

// --- FakeCuda
// -------------------------------------------------------------------------

FakeCuda::FakeCuda(FakeCudaOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  assert(the_state == nullptr && "one FakeCuda at a time");
  the_state = state_.get();
  current_gpu = 0;
}

FakeCuda::~FakeCuda() { the_state = nullptr; }

std::vector<std::string> FakeCuda::faults() const {
  const std::lock_guard lock(state_->mutex);
  return state_->faults;
}

std::vector<std::string> FakeCuda::finish() {
  const std::lock_guard lock(state_->mutex);
  for (const auto& stream : state_->streams) {
    if (stream->stream != nullptr) {
      state_->fault("leak: " + stream->name + " was never destroyed");
    }
  }
  for (const auto& event : state_->events) {
    if (event->event != nullptr) {
      state_->fault("leak: " + event->name + " was never destroyed");
    }
  }
  for (const auto& [data, block] : state_->blocks) {
    if (block.is_free) continue;
    state_->fault(text("leak: ", block.buffer.region().bytes, " bytes of ",
                       gpu_text(block.gpu), " were never freed"));
  }
  if (!state_->host->fault().empty()) state_->fault(state_->host->fault());
  return state_->faults;
}

std::uint64_t FakeCuda::copies_that_may_block() const {
  const std::lock_guard lock(state_->mutex);
  return state_->copies_that_may_block;
}

bool FakeCuda::has_ignored() const {
  const std::lock_guard lock(state_->mutex);
  return state_->has_ignored;
}

void launch_on_stream(const Work& work, cudaStream_t stream) {
  Locked cuda;
  if (cuda->is_alive(stream, "a kernel launch")) cuda->launch(cuda.lock, *stream, work);
}

}  // namespace pipeline

// --- The runtime's functions
// ----------------------------------------------------------

using pipeline::current_gpu;
using pipeline::Locked;

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "peer access is already enabled";
  }
  return "unknown error";
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  const Locked cuda;
  *count = cuda->options.gpus;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaSetDevice(int gpu) {
  const Locked cuda;
  if (gpu < 0 || gpu >= cuda->options.gpus) return cudaErrorInvalidDevice;
  if (gpu == current_gpu || cuda->is_ignored("cudaSetDevice")) return cudaSuccess;
  current_gpu = gpu;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int gpu, int peer) {
  const Locked cuda;
  *can = gpu != peer && cuda->options.peer_access ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned /*flags*/) {
  const Locked cuda;
  if (cuda->is_ignored("cudaDeviceEnablePeerAccess")) return cudaSuccess;
  if (peer == current_gpu || !cuda->options.peer_access) {
    cuda->fault(pipeline::text("cudaDeviceEnablePeerAccess: GPU ", current_gpu,
                               " has no peer GPU ", peer));
    return cudaErrorInvalidDevice;
  }
  return cuda->peers[current_gpu].insert(peer).second
             ? cudaSuccess
             : cudaErrorPeerAccessAlreadyEnabled;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return Locked()->allocate(data, bytes, current_gpu);
}

cudaError_t cudaFree(void* data) {
  const Locked cuda;
  if (cuda->is_ignored("cudaFree")) return cudaSuccess;
  return cuda->free(data, false, "cudaFree");
}

cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  return Locked()->allocate(data, bytes, pipeline::kHost);
}

cudaError_t cudaFreeHost(void* data) {
  const Locked cuda;
  if (cuda->is_ignored("cudaFreeHost")) return cudaSuccess;
  return cuda->free(data, true, "cudaFreeHost");
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  const Locked cuda;
  const std::string name = "stream " + std::to_string(cuda->streams.size());
  cuda->streams.push_back(std::make_unique<FakeStream>());
  *stream = cuda->streams.back().get();
  (*stream)->gpu = current_gpu;
  (*stream)->name = name;
  (*stream)->stream = cuda->host->device(current_gpu).make_stream(name);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Locked cuda;
  if (cuda->is_ignored("cudaStreamDestroy")) return cudaSuccess;
  if (!cuda->is_alive(stream, "cudaStreamDestroy")) {
    return cudaErrorInvalidResourceHandle;
  }
  cuda->wants_current(stream->gpu, stream->name, "cudaStreamDestroy");
  stream->stream.reset();
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Locked cuda;
  if (cuda->is_ignored("cudaStreamSynchronize")) return cudaSuccess;
  if (!cuda->is_alive(stream, "cudaStreamSynchronize")) {
    return cudaErrorInvalidResourceHandle;
  }
  cuda->wants_current(stream->gpu, stream->name, "cudaStreamSynchronize");
  cuda.lock.unlock();  // others go on meanwhile
  stream->stream->synchronize();
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned /*flags*/) {
  Locked cuda;
  if (cuda->is_ignored("cudaStreamWaitEvent")) return cudaSuccess;
  if (!cuda->is_alive(stream, "cudaStreamWaitEvent") ||
      !cuda->is_alive(event, "cudaStreamWaitEvent")) {
    return cudaErrorInvalidResourceHandle;
  }
  return cuda->wait(cuda.lock, *stream, *event);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Locked cuda;
  pipeline::Device& device = cuda->host->device(current_gpu);
  cuda->events.push_back(std::make_unique<FakeEvent>());
  *event = cuda->events.back().get();
  (*event)->gpu = current_gpu;
  (*event)->name = "event " + std::to_string(cuda->events.size() - 1);
  (*event)->event = device.make_event();
  if ((flags & cudaEventDisableTiming) == 0) (*event)->mark = device.make_mark();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Locked cuda;
  if (cuda->is_ignored("cudaEventDestroy")) return cudaSuccess;
  if (!cuda->is_alive(event, "cudaEventDestroy")) return cudaErrorInvalidResourceHandle;
  cuda->wants_current(event->gpu, event->name, "cudaEventDestroy");
  event->event.reset();  // the mark stays: a stream may still be on its way to it
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Locked cuda;
  if (cuda->is_ignored("cudaEventRecord")) return cudaSuccess;
  if (!cuda->is_alive(event, "cudaEventRecord") ||
      !cuda->is_alive(stream, "cudaEventRecord")) {
    return cudaErrorInvalidResourceHandle;
  }
  return cuda->record(cuda.lock, *event, *stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Locked cuda;
  if (!cuda->is_alive(event, "cudaEventSynchronize")) {
    return cudaErrorInvalidResourceHandle;
  }
  FakeStream* stream = event->recorded_on;
  if (stream == nullptr || stream->stream == nullptr) return cudaSuccess;
  cuda.lock.unlock();
  stream->stream->synchronize();
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from,
                                 cudaEvent_t to) {
  const Locked cuda;
  if (!cuda->is_alive(from, "cudaEventElapsedTime") ||
      !cuda->is_alive(to, "cudaEventElapsedTime")) {
    return cudaErrorInvalidResourceHandle;
  }
  return cuda->elapsed(milliseconds, *from, *to);
}

namespace {

pipeline::Region region(const void* data, std::size_t bytes) {
  return {static_cast<std::byte*>(const_cast<void*>(data)), bytes, nullptr};
}

}  // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                            cudaMemcpyKind /*kind*/, cudaStream_t stream) {
  Locked cuda;
  if (!cuda->is_alive(stream, "cudaMemcpyAsync")) return cudaErrorInvalidResourceHandle;
  return cuda->copy(cuda.lock, *stream, region(to, bytes), region(from, bytes),
                    "cudaMemcpyAsync", true);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_gpu, const void* from, int from_gpu,
                                std::size_t bytes, cudaStream_t stream) {
  const char* call = "cudaMemcpyPeerAsync";
  Locked cuda;
  if (!cuda->is_alive(stream, call)) return cudaErrorInvalidResourceHandle;
  const auto* to_block = cuda->find_block(to);
  const auto* from_block = cuda->find_block(from);
  if (to_block == nullptr || to_block->gpu != to_gpu || from_block == nullptr ||
      from_block->gpu != from_gpu) {
    cuda->fault(pipeline::text(call, ": memory is not on the GPUs named, ", from_gpu,
                               " and ", to_gpu));
    return cudaErrorInvalidValue;
  }
  return cuda->copy(cuda.lock, *stream, region(to, bytes), region(from, bytes), call,
                    false);
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes,
                            cudaStream_t stream) {
  Locked cuda;
  if (!cuda->is_alive(stream, "cudaMemsetAsync")) return cudaErrorInvalidResourceHandle;
  if (value != 0) return cudaErrorInvalidValue;  // the platform fills with nothing else
  return cuda->fill(cuda.lock, *stream, data, bytes);
}
