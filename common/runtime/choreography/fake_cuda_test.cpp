// The runtime on the CUDA platform, on pretended GPUs: same weights, and none of CUDA's
// rules broken. Nothing here ran on a GPU.
#include "device/fake/fake_cuda.hpp"

#include <gtest/gtest.h>

#include "device/cuda.hpp"
#include "device/host.hpp"
#include "runtime/replay.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

std::string told(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fault + "\n";
  return text;
}

std::string reference(std::int32_t micro_batches) {
  return train_small(*make_host_platform(1), generated("gpipe", 1, micro_batches))
      .digest;
}

void expect_no_fault(const FakeCudaOptions& cuda, std::int32_t devices,
                     std::int32_t micro_batches) {
  const std::string expected = reference(micro_batches);
  FakeCuda fake(cuda);
  {
    const auto platform = make_cuda_platform(devices);
    ASSERT_TRUE(platform) << platform.error().what;
    EXPECT_EQ((*platform)->level(),
              cuda.gpus >= devices && devices > 1 ? Level::Gpus : Level::OneGpu);
    for (const auto* name : {"gpipe", "1f1b"}) {
      for (const std::int32_t buffers : {0, 2}) {
        ExecutorOptions options;
        options.buffers = buffers;
        const Trained trained =
            train_small(**platform, generated(name, devices, micro_batches), options);
        EXPECT_EQ(trained.digest, expected)
            << name << ", " << devices << " devices on " << cuda.gpus << " GPUs";
      }
    }
    EXPECT_EQ((*platform)->fault(), "");
  }
  EXPECT_EQ(told(fake.finish()), "") << devices << " devices on " << cuda.gpus;
}

TEST(OnPretendedGpus, TrainsWithAGpuForEachDevice) {
  for (const int gpus : {1, 2, 4, 8}) expect_no_fault({.gpus = gpus}, gpus, 5);
}

TEST(OnPretendedGpus, TrainsWithFewerGpusThanDevices) {
  expect_no_fault({.gpus = 1}, 4, 5);
  expect_no_fault({.gpus = 2}, 4, 3);
  expect_no_fault({.gpus = 3}, 4, 7);
  expect_no_fault({.gpus = 4}, 8, 3);
}

TEST(OnPretendedGpus, TrainsWithMoreGpusThanDevices) {
  expect_no_fault({.gpus = 4}, 3, 5);
}

TEST(OnPretendedGpus, TrainsWithoutPeerAccess) {
  expect_no_fault({.gpus = 2, .peer_access = false}, 2, 5);
}

TEST(OnPretendedGpus, TrainsInAnyLegalOrder) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    HostOptions host;
    host.drain = HostDrain::Seeded;
    host.seed = seed;
    expect_no_fault({.gpus = 2, .host = host}, 3, 4);
  }
}

TEST(OnPretendedGpus, CopiesFromNoMemoryThatBlocksTheWorkers) {
  FakeCuda fake({.gpus = 2});
  {
    const auto platform = *make_cuda_platform(2);
    const Network network = small_network();
    const Schedule schedule = generated("1f1b", 2, 4);
    auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, 2),
                                        schedule.placement, 1);
    auto executor = *Executor::make(*placed, schedule, 23);
    const std::uint64_t before = fake.copies_that_may_block();
    const SmallData data(69);
    ASSERT_TRUE(executor->run(data.batches(small_steps())));
    EXPECT_EQ(fake.copies_that_may_block(), before);
  }
  EXPECT_EQ(told(fake.finish()), "");
}

TEST(OnPretendedGpus, SaysSoWhenTheSharedOnesTimesWouldLie) {
  FakeCuda fake({.gpus = 2});
  EXPECT_EQ(honest_level(**make_cuda_platform(2)), Level::Gpus);
  EXPECT_EQ(honest_level(**make_cuda_platform(3)), Level::Replay);
  EXPECT_EQ(honest_level(**make_cuda_platform(1)), Level::OneGpu);
}

}  // namespace
}  // namespace pipeline
