// Whatever legal order the streams run in, and however slow some of it is, the weights
// are those of one device.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "device/host.hpp"
#include "runtime/small_training.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/lower.hpp"

namespace pipeline {
namespace {

class Order : public testing::Test {
 protected:
  /// Trains under every schedule and number of buffers, and expects the same weights.
  void expect_same_weights(const HostOptions& host, std::int32_t devices,
                           std::int32_t micro_batches) {
    const auto platform = make_host_platform(devices, host);
    std::int32_t buffers = 0;
    for (const Generator& generator : generators()) {
      const auto schedule =
          generator.generate({.shape = {devices, micro_batches, 3, false}});
      if (!schedule || !schedule->slices.empty()) continue;
      buffers = (buffers + 1) % 3;
      ExecutorOptions options;
      options.buffers = buffers;
      const Trained trained = train_small(*platform, *schedule, options, small_steps(),
                                          layers_for(schedule->stages()));
      EXPECT_EQ(trained.digest, expected_for(*schedule))
          << generator.name << " p=" << devices << " m=" << micro_batches
          << " buffers=" << buffers << " seed=" << host.seed;
      EXPECT_TRUE(trained.copies_agree) << generator.name;
    }
    EXPECT_EQ(platform->fault(), "");
  }

 private:
  /// In the ordinary order, of one thread a device. (That those are the weights of one
  /// device is tested elsewhere, for every schedule.)
  std::string expected_for(const Schedule& schedule) {
    auto& digest =
        expected_[{schedule.name, schedule.devices(), schedule.micro_batches}];
    if (digest.empty()) {
      const auto platform = make_host_platform(schedule.devices());
      digest = train_small(*platform, schedule, {}, small_steps(),
                           layers_for(schedule.stages()))
                   .digest;
    }
    return digest;
  }
  std::map<std::tuple<std::string, std::int32_t, std::int32_t>, std::string> expected_;
};

TEST_F(Order, MayBeAnyLegalOne) {
  HostOptions host;
  host.drain = HostDrain::Seeded;
  for (host.seed = 1; host.seed <= (in_full_tier() ? 100U : 8U); ++host.seed) {
    expect_same_weights(host, 2, 5);
    expect_same_weights(host, 4, 3);
    expect_same_weights(host, 5, 9);
  }
}

TEST_F(Order, MayBeThatOfAThreadForEachStream) {
  HostOptions host;
  host.drain = HostDrain::ThreadPerStream;
  expect_same_weights(host, 3, 5);
  if (in_full_tier()) expect_same_weights(host, 8, 17);
}

/// Slow items in places that a seed chooses, one in eight.
std::uint32_t delay_of(std::uint64_t seed, std::int32_t device, std::uint64_t item) {
  Random random(seed ^ Random(item * 64 + static_cast<std::uint64_t>(device)).next());
  return random.below(8) == 0 ? 20 + static_cast<std::uint32_t>(random.below(100)) : 0;
}

TEST_F(Order, MayBeThatOfSlowItems) {
  for (std::uint64_t seed = 1; seed <= (in_full_tier() ? 20U : 2U); ++seed) {
    HostOptions host;
    host.delay = [seed](std::int32_t device, std::uint64_t item) {
      return delay_of(seed, device, item);
    };
    expect_same_weights(host, 3, 5);
    host.drain = HostDrain::ThreadPerStream;
    expect_same_weights(host, 2, 4);
  }
}

TEST_F(Order, MayBeThatOfOneSlowDevice) {
  for (const std::int32_t slow : {0, 1, 2}) {
    HostOptions host;
    host.delay = [slow](std::int32_t device, std::uint64_t) {
      return device == slow ? 30U : 0U;
    };
    expect_same_weights(host, 3, 4);
  }
}

TEST_F(Order, SurvivesStreamsThatHoldFewItems) {
  HostOptions host;
  host.queue_capacity = 3;  // issuing blocks all the time
  expect_same_weights(host, 3, 5);
}

}  // namespace
}  // namespace pipeline
