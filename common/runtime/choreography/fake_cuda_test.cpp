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

std::string on_host(const Schedule& schedule) {
  const auto platform = make_host_platform(schedule.devices());
  return train_small(*platform, schedule, {}, small_steps(),
                     layers_for(schedule.stages()))
      .digest;
}

/// What runs on devices of the platform: every schedule, or some of each kind.
enum class Which { Some, Every };

bool is_one_of_some(std::string_view name) {
  for (const auto* some : {"gpipe", "1f1b", "zb-v", "dualpipe", "pipedream"}) {
    if (name == some) return true;
  }
  return false;
}

void expect_no_fault(const FakeCudaOptions& cuda, std::int32_t devices,
                     std::int32_t micro_batches, Which which = Which::Some) {
  FakeCuda fake(cuda);
  {
    const auto platform = make_cuda_platform(devices);
    ASSERT_TRUE(platform) << platform.error().what;
    EXPECT_EQ((*platform)->level(),
              cuda.gpus >= devices && devices > 1 ? Level::Gpus : Level::OneGpu);
    std::int32_t run = 0;
    for (const Generator& generator : generators()) {
      if (which == Which::Some && !is_one_of_some(generator.name)) continue;
      const auto schedule =
          generator.generate({.shape = {devices, micro_batches, 3, false}});
      if (!schedule || !schedule->slices.empty()) continue;
      ExecutorOptions options;
      options.buffers = run++ % 3;
      const Trained trained = train_small(**platform, *schedule, options, small_steps(),
                                          layers_for(schedule->stages()));
      EXPECT_EQ(trained.digest, on_host(*schedule))
          << generator.name << ", " << devices << " devices on " << cuda.gpus
          << " GPUs";
    }
    EXPECT_EQ((*platform)->fault(), "");
  }
  EXPECT_EQ(told(fake.finish()), "") << devices << " devices on " << cuda.gpus;
}

TEST(OnPretendedGpus, RunEverySchedule) {
  expect_no_fault({.gpus = 2}, 2, 5, Which::Every);
  expect_no_fault({.gpus = 4}, 4, 8, Which::Every);
  expect_no_fault({.gpus = 2}, 4, 3, Which::Every);
}

TEST(OnPretendedGpus, ClipByTheNormOfAllGradients) {
  const Schedule schedule = generated("1f1b", {.shape = {4, 5, 3, true}});
  ExecutorOptions options;
  options.clip = 0.01F;
  const std::string expected =
      train_small(*make_host_platform(4), schedule, options).digest;
  for (const int gpus : {1, 2, 4}) {
    FakeCuda fake({.gpus = gpus});
    {
      const auto platform = *make_cuda_platform(4);
      EXPECT_EQ(train_small(*platform, schedule, options).digest, expected);
      EXPECT_EQ(platform->fault(), "");
    }
    EXPECT_EQ(told(fake.finish()), "");
  }
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
