#include "device/fake/fake_cuda.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/cuda.hpp"
#include "device/platform_tests.hpp"

namespace pipeline {

// --- The CUDA platform on pretended GPUs does what any platform does
// ------------------

namespace {

using Faults = std::vector<std::string>;

bool any_has(const Faults& faults, const std::string& text) {
  return std::any_of(faults.begin(), faults.end(), [&text](const std::string& fault) {
    return fault.find(text) != std::string::npos;
  });
}

PlatformCase fake_case(std::string name, const FakeCudaOptions& options) {
  return {std::move(name), [options](std::int32_t devices) {
            const auto check = [](FakeCuda* fake) {
              EXPECT_EQ(fake->finish(), Faults{});
              EXPECT_EQ(fake->copies_that_may_block(), 0U);
              delete fake;
            };
            std::shared_ptr<void> world(new FakeCuda(options), check);
            return PlatformUnderTest{world, *make_cuda_platform(devices), ""};
          }};
}

constexpr HostDrain kSeeded = HostDrain::Seeded;

INSTANTIATE_TEST_SUITE_P(
    FakeCuda, AnyPlatform,
    testing::Values(fake_case("OneGpu", {.gpus = 1}), fake_case("TwoGpus", {.gpus = 2}),
                    fake_case("ThreeGpus", {.gpus = 3}),
                    fake_case("FourGpus", {.gpus = 4}),
                    fake_case("EightGpus", {.gpus = 8}),
                    fake_case("FourGpusWithoutPeerAccess",
                              {.gpus = 4, .peer_access = false}),
                    fake_case("FourGpusInSeededOrder",
                              {.gpus = 4, .host = {.drain = kSeeded, .seed = 5}})),
    name_of);

}  // namespace

// --- The CUDA platform
// ----------------------------------------------------------------

TEST(CudaPlatform, SaysWhetherEachDeviceHasItsOwnGpu) {
  FakeCuda fake({.gpus = 2});
  EXPECT_EQ((*make_cuda_platform(1))->level(), Level::OneGpu);
  EXPECT_EQ((*make_cuda_platform(2))->level(), Level::Gpus);
  EXPECT_EQ((*make_cuda_platform(4))->level(), Level::OneGpu);
  EXPECT_EQ(fake.finish(), Faults{});
}

TEST(CudaPlatform, IsRefusedWithoutAGpu) {
  FakeCuda fake({.gpus = 0});
  const auto platform = make_cuda_platform(2);
  ASSERT_FALSE(platform);
  EXPECT_EQ(platform.error().what, "no GPU here: no CUDA-capable device is detected");
  EXPECT_NE(platform.error().remedy.find("host preset"), std::string::npos);
}

TEST(CudaPlatform, MetersTheDeviceAndNotItsGpu) {
  FakeCuda fake({.gpus = 1});
  {
    auto platform = *make_cuda_platform(2);
    const Buffer buffer(platform->device(1), 4096);
    EXPECT_EQ(platform->device(0).meter().live_bytes, 0U);
    EXPECT_EQ(platform->device(1).meter().live_bytes, 4096U);
  }
  EXPECT_EQ(fake.finish(), Faults{});
}

TEST(CudaPlatform, KeepsTheFirstErrorAndDoesNothingMore) {
  FakeCuda fake({.gpus = 2, .memory_bytes = 1000});
  {
    auto platform = *make_cuda_platform(2);
    auto stream = platform->device(1).make_stream("compute");
    const Buffer fits(platform->device(1), 800);
    int runs = 0;
    int* r = &runs;
    stream->run(Work([r](NativeStream) { ++*r; }));
    stream->synchronize();
    const Buffer too_large(platform->device(1), 300);
    EXPECT_EQ(too_large.region().data, nullptr);
    EXPECT_EQ(platform->fault(),
              "cudaMalloc of 300 bytes on device 1 (GPU 1): out of memory");
    stream->run(Work([r](NativeStream) { ++*r; }));
    stream->synchronize();
    EXPECT_EQ(runs, 1);
    const Buffer small(platform->device(0), 16);
    EXPECT_EQ(small.region().data, nullptr);
    EXPECT_EQ(platform->device(1).meter().live_bytes, 800U);
  }
  EXPECT_EQ(fake.finish(), Faults{});
}

TEST(CudaPlatform, RunsWorkWhenTheStreamReachesIt) {
  FakeCuda fake({.gpus = 2, .host = {.drain = kSeeded}});
  auto platform = *make_cuda_platform(2);
  auto a = platform->device(0).make_stream("a");
  auto b = platform->device(1).make_stream("b");
  auto ready = platform->device(0).make_event();
  std::string order;
  std::string* o = &order;
  a->run(Work([o](NativeStream) { o->push_back('a'); }));
  a->record(*ready);
  b->wait(*ready);
  b->run(Work([o](NativeStream) { o->push_back('b'); }));
  EXPECT_EQ(order, "");
  b->synchronize();
  EXPECT_EQ(order, "ab");
}

// Reading the clock of GPU 1 takes long here, 20 tries of 4 ms at least, so that a mark
// which is not placed on the host's clock comes out as much too early.
TEST(CudaPlatform, PutsTheMarksOfTwoGpusOnOneClock) {
  FakeCuda fake({.gpus = 2,
                 .host = {.drain = HostDrain::ThreadPerStream,
                          .delay = [](std::int32_t gpu, std::uint64_t) {
                            return gpu == 1 ? 1000U : 0U;
                          }}});
  auto platform = *make_cuda_platform(2);
  std::vector<std::unique_ptr<TimeMark>> marks;
  for (const std::int32_t device : {0, 1, 0}) {
    auto stream = platform->device(device).make_stream("s");
    marks.push_back(platform->device(device).make_mark());
    stream->mark(*marks.back());
    stream->synchronize();
  }
  EXPECT_GT(platform->seconds_between(*marks[0], *marks[1]), -0.02);
  EXPECT_GT(platform->seconds_between(*marks[1], *marks[2]), -0.02);
  EXPECT_NEAR(platform->seconds_between(*marks[0], *marks[1]) +
                  platform->seconds_between(*marks[1], *marks[2]),
              platform->seconds_between(*marks[0], *marks[2]), 1e-3);
}

// --- The fake finds what the CUDA platform could get wrong
// ----------------------------

namespace {

// Every device sends to every other, has times read, and everything is freed.
void everybody_sends(Platform& platform) {
  constexpr std::size_t kBytes = 64;
  std::vector<Buffer> buffers;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;
  std::vector<std::unique_ptr<TimeMark>> marks;
  const Buffer in(platform, kBytes);
  for (std::int32_t d = 0; d < platform.devices(); ++d) {
    buffers.emplace_back(platform.device(d), kBytes);
    streams.push_back(platform.device(d).make_stream("copy"));
  }
  for (std::int32_t from = 0; from < platform.devices(); ++from) {
    streams[from]->copy(buffers[from].region(), in.region());
    marks.push_back(platform.device(from).make_mark());
    streams[from]->mark(*marks.back());
    for (std::int32_t to = 0; to < platform.devices(); ++to) {
      if (from == to) continue;
      events.push_back(platform.device(from).make_event());
      streams[from]->record(*events.back());
      streams[to]->wait(*events.back());
      streams[to]->copy(buffers[to].region(), buffers[from].region());
      events.push_back(platform.device(to).make_event());
      streams[to]->record(*events.back());
      streams[from]->wait(*events.back());
    }
  }
  for (auto& stream : streams) stream->synchronize();
  for (const auto& mark : marks) platform.seconds_between(*marks[0], *mark);
}

Faults faults_without(const IgnoredCall& call, int gpus, bool* has_ignored) {
  FakeCuda fake({.gpus = gpus, .host = {.drain = kSeeded}, .ignore = call});
  if (auto platform = make_cuda_platform(4)) everybody_sends(**platform);
  *has_ignored = fake.has_ignored();
  return fake.finish();
}

// Leaves out each call of `function` in turn; each must be missed. Returns how many.
int calls_missed(const std::string& function, int gpus, const char* complaint) {
  bool has_ignored = false;
  for (int k = 0;; ++k) {
    const auto faults =
        faults_without({function, static_cast<std::uint64_t>(k)}, gpus, &has_ignored);
    if (!has_ignored) {
      EXPECT_EQ(faults, Faults{});
      return k;
    }
    EXPECT_TRUE(any_has(faults, complaint))
        << function << " number " << k << " was left out";
  }
}

}  // namespace

TEST(FakeCuda, FindsEachMissingPeerAccess) {
  EXPECT_EQ(calls_missed("cudaDeviceEnablePeerAccess", 4, "no peer access"), 12);
  EXPECT_EQ(calls_missed("cudaDeviceEnablePeerAccess", 2, "no peer access"), 2);
  EXPECT_EQ(calls_missed("cudaDeviceEnablePeerAccess", 1, ""), 0);
}

TEST(FakeCuda, FindsEachMissingRecord) {
  EXPECT_EQ(calls_missed("cudaEventRecord", 1, "was never recorded"), 4 + 24);
}

TEST(FakeCuda, FindsEachLeak) {
  EXPECT_EQ(calls_missed("cudaFree", 2, "leak: 64 bytes of GPU"), 4);
  EXPECT_EQ(calls_missed("cudaFreeHost", 2, "leak: 64 bytes of the host"), 1);
  EXPECT_EQ(calls_missed("cudaStreamDestroy", 1, "leak: stream"), 4);
  EXPECT_EQ(calls_missed("cudaEventDestroy", 1, "leak: event"), 4 + 24);
}

TEST(FakeCuda, FindsEachMissingChangeOfTheCurrentDevice) {
  EXPECT_GT(calls_missed("cudaSetDevice", 2, "GPU"), 50);
}

TEST(FakeCuda, FindsMemoryFreedBeforeItsWorkIsDone) {
  for (const bool forget : {false, true}) {
    FakeCuda fake({.host = {.drain = kSeeded},
                   .ignore = {forget ? "cudaStreamSynchronize" : "", 0}});
    auto platform = *make_cuda_platform(1);
    {
      auto stream = platform->device(0).make_stream("compute");
      const Buffer buffer(platform->device(0), 64);
      float* data = buffer.region().floats();
      stream->run(Work([data](NativeStream) { data[0] = 1; }));
      stream->synchronize();
    }
    platform.reset();
    const auto faults = fake.finish();
    if (forget) {
      EXPECT_EQ(faults, Faults{"cudaFree: memory of GPU 0 is freed while work "
                               "is pending there"});
    } else {
      EXPECT_EQ(faults, Faults{});
    }
  }
}

// --- Direct calls, for faults that the platform's own objects rule out
// ----------------

namespace {

class FakeCudaCalls : public testing::Test {
 protected:
  FakeCudaCalls() {
    for (int gpu = 0; gpu < 2; ++gpu) {
      cudaSetDevice(gpu);
      cudaStreamCreateWithFlags(&stream_[gpu], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&event_[gpu], cudaEventDisableTiming);
      cudaMalloc(&memory_[gpu], 64);
    }
    cudaSetDevice(0);
  }
  void expect_fault(const std::string& text) {
    EXPECT_EQ(fake_.faults(), Faults{text});
  }

  FakeCuda fake_{FakeCudaOptions{.gpus = 2}};
  cudaStream_t stream_[2] = {};
  cudaEvent_t event_[2] = {};
  void* memory_[2] = {};
};

}  // namespace

TEST_F(FakeCudaCalls, FindTheWrongCurrentDevice) {
  cudaEventRecord(event_[1], stream_[1]);
  expect_fault(
      "cudaEventRecord: stream 1 belongs to GPU 1, but the current device is GPU 0");
}

TEST_F(FakeCudaCalls, FindAnEventOfAnotherGpu) {
  EXPECT_EQ(cudaEventRecord(event_[1], stream_[0]), cudaErrorInvalidResourceHandle);
  expect_fault("cudaEventRecord: event 1 belongs to GPU 1, stream 0 to GPU 0");
}

TEST_F(FakeCudaCalls, FindAWaitBeforeTheRecord) {
  cudaStreamWaitEvent(stream_[0], event_[1], 0);
  expect_fault(
      "cudaStreamWaitEvent: stream 0 waits for event 1, which was never recorded");
}

TEST_F(FakeCudaCalls, FindADirectCopyWithoutPeerAccess) {
  cudaMemcpyAsync(memory_[0], memory_[1], 64, cudaMemcpyDefault, stream_[0]);
  expect_fault("cudaMemcpyAsync: GPU 0 has no peer access to GPU 1");
}

TEST_F(FakeCudaCalls, AllowACopyBetweenPeersThatNamesBothGpus) {
  cudaMemcpyPeerAsync(memory_[0], 0, memory_[1], 1, 64, stream_[0]);
  EXPECT_EQ(fake_.faults(), Faults{});
  cudaMemcpyPeerAsync(memory_[0], 1, memory_[1], 1, 64, stream_[0]);
  expect_fault("cudaMemcpyPeerAsync: memory is not on the GPUs named, 1 and 1");
}

TEST_F(FakeCudaCalls, FindAUseAfterFree) {
  cudaFree(memory_[0]);
  cudaMemsetAsync(memory_[0], 0, 64, stream_[0]);
  expect_fault("cudaMemsetAsync: uses memory of GPU 0 after it was freed");
}

TEST_F(FakeCudaCalls, FindADoubleFree) {
  cudaFree(memory_[0]);
  EXPECT_EQ(cudaFree(memory_[0]), cudaErrorInvalidValue);
  expect_fault("cudaFree: memory of GPU 0 is freed twice");
}

TEST_F(FakeCudaCalls, FindAFillBeyondTheMemory) {
  cudaMemsetAsync(static_cast<std::byte*>(memory_[0]) + 32, 0, 36, stream_[0]);
  expect_fault(
      "cudaMemsetAsync: uses 36 bytes, which end outside their memory on GPU 0");
}

TEST_F(FakeCudaCalls, FindAFillOfMemoryElsewhere) {
  cudaMemsetAsync(memory_[1], 0, 64, stream_[0]);
  expect_fault("cudaMemsetAsync: stream 0 of GPU 0 fills memory of GPU 1");
}

TEST_F(FakeCudaCalls, FindTheUseOfADestroyedStream) {
  cudaStreamDestroy(stream_[0]);
  EXPECT_EQ(cudaStreamSynchronize(stream_[0]), cudaErrorInvalidResourceHandle);
  expect_fault("cudaStreamSynchronize: stream 0 was destroyed");
}

TEST_F(FakeCudaCalls, FindTheUseOfADestroyedEvent) {
  cudaEventDestroy(event_[0]);
  EXPECT_EQ(cudaEventRecord(event_[0], stream_[0]), cudaErrorInvalidResourceHandle);
  expect_fault("cudaEventRecord: event 0 was destroyed");
}

TEST_F(FakeCudaCalls, FindATimeAskedOfAnEventWithoutOne) {
  float time = 0;
  EXPECT_EQ(cudaEventElapsedTime(&time, event_[0], event_[0]),
            cudaErrorInvalidResourceHandle);
  expect_fault("cudaEventElapsedTime: event 0 keeps no time");
}

TEST_F(FakeCudaCalls, CountCopiesFromOrdinaryHostMemory) {
  float ordinary[16] = {};
  cudaMemcpyAsync(memory_[0], ordinary, 64, cudaMemcpyDefault, stream_[0]);
  cudaStreamSynchronize(stream_[0]);
  EXPECT_EQ(fake_.copies_that_may_block(), 1U);
  EXPECT_EQ(fake_.faults(), Faults{});
}

TEST_F(FakeCudaCalls, ListWhatWasNeverFreed) {
  Faults leaks = fake_.finish();
  std::sort(leaks.begin(), leaks.end());
  EXPECT_EQ(leaks, (Faults{"leak: 64 bytes of GPU 0 were never freed",
                           "leak: 64 bytes of GPU 1 were never freed",
                           "leak: event 0 was never destroyed",
                           "leak: event 1 was never destroyed",
                           "leak: stream 0 was never destroyed",
                           "leak: stream 1 was never destroyed"}));
}

}  // namespace pipeline
