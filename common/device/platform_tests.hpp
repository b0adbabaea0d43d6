/// \file
/// What every platform must do, as tests that run on the host platform in each of its
/// modes, on the CUDA platform over pretended GPUs, and on real GPUs where there are
/// any. They use copies and fills only, which need no kernels. Test code.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace pipeline {

struct PlatformUnderTest {
  std::shared_ptr<void> world;  ///< what the platform needs around it; goes last
  std::unique_ptr<Platform> platform;
  std::string why_not;  ///< why there is none here
};

struct PlatformCase {
  std::string name;
  std::function<PlatformUnderTest(std::int32_t devices)> make;
};

inline std::string name_of(const testing::TestParamInfo<PlatformCase>& info) {
  return info.param.name;
}

class AnyPlatform : public testing::TestWithParam<PlatformCase> {
 protected:
  static constexpr std::int32_t kDevices = 4;
  static constexpr std::size_t kFloats = 300;
  static constexpr std::size_t kBytes = kFloats * sizeof(float);

  void SetUp() override {
    under_test_ = GetParam().make(kDevices);
    if (platform() == nullptr) GTEST_SKIP() << "not run: " << under_test_.why_not;
    for (std::int32_t d = 0; d < kDevices; ++d) {
      devices_.push_back(&platform()->device(d));
      streams_.push_back(devices_[d]->make_stream("copy"));
      events_.push_back(devices_[d]->make_event());
      buffers_.emplace_back(*devices_[d], kBytes);
    }
    in_ = Buffer(*platform(), kBytes);
    out_ = Buffer(*platform(), kBytes);
    std::memset(out_.region().data, 0, kBytes);
  }

  Platform* platform() { return under_test_.platform.get(); }
  void fill_input(float first) {
    std::iota(in_.region().floats(), in_.region().floats() + kFloats, first);
  }
  std::vector<float> output() const {
    return {out_.region().floats(), out_.region().floats() + kFloats};
  }
  std::vector<float> input() const {
    return {in_.region().floats(), in_.region().floats() + kFloats};
  }
  void synchronize() {
    for (const auto& stream : streams_) stream->synchronize();
  }

  // The host, then each device from the one before it, then the host:
  //
  //     in ─►[0]─●─►[1]─●─►[2]─●─►[3]─► out
  void send_through_all() {
    streams_[0]->copy(buffers_[0].region(), in_.region());
    streams_[0]->record(*events_[0]);
    for (std::int32_t d = 1; d < kDevices; ++d) {
      streams_[d]->wait(*events_[d - 1], "arrived");
      streams_[d]->copy(buffers_[d].region(), buffers_[d - 1].region());
      streams_[d]->record(*events_[d]);
    }
    streams_.back()->copy(out_.region(), buffers_.back().region());
  }

 private:
  PlatformUnderTest under_test_;

 protected:
  std::vector<Device*> devices_;
  Buffer in_;
  Buffer out_;
  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<std::unique_ptr<Stream>> streams_;  // first to go: waits for its work
};

TEST_P(AnyPlatform, CarriesDataThroughEveryDevice) {
  fill_input(1.5F);
  send_through_all();
  synchronize();
  EXPECT_EQ(output(), input());
  EXPECT_EQ(platform()->fault(), "");
  EXPECT_EQ(platform()->devices(), kDevices);
}

TEST_P(AnyPlatform, CountsWhatCameFromOtherDevices) {
  fill_input(2);
  for (int i = 0; i < 2; ++i) {
    send_through_all();
    synchronize();
  }
  EXPECT_EQ(devices_[0]->bytes_received(), 0U);
  for (std::int32_t d = 1; d < kDevices; ++d) {
    EXPECT_EQ(devices_[d]->index(), d);
    EXPECT_EQ(devices_[d]->bytes_received(), 2 * kBytes);
  }
}

TEST_P(AnyPlatform, WaitsForTheLatestRecordOfAnEvent) {
  for (int round = 0; round < 20; ++round) {
    fill_input(static_cast<float>(round));
    send_through_all();
    synchronize();
    ASSERT_EQ(output(), input());
  }
}

TEST_P(AnyPlatform, FillsPartOfABufferWithZero) {
  fill_input(1);
  streams_[2]->copy(buffers_[2].region(), in_.region());
  streams_[2]->fill_zero(buffers_[2].part(8, 12));
  streams_[2]->copy(out_.region(), buffers_[2].region());
  streams_[2]->synchronize();
  std::vector<float> expected = input();
  expected[2] = expected[3] = expected[4] = 0;
  EXPECT_EQ(output(), expected);
}

TEST_P(AnyPlatform, MetersEachDeviceAlone) {
  const MeterReading before = devices_[1]->meter();
  EXPECT_EQ(before.live_bytes, kBytes);
  EXPECT_EQ(before.allocations, 1U);
  {
    const Buffer one(*devices_[1], 1000);
    const Buffer two(*devices_[1], 24);
  }
  const Buffer three(*devices_[1], 512);
  const MeterReading after = devices_[1]->meter();
  EXPECT_EQ(after.live_bytes, kBytes + 512);
  EXPECT_EQ(after.peak_bytes, kBytes + 1024);
  EXPECT_EQ(after.allocations, 4U);
  EXPECT_EQ(devices_[0]->meter().peak_bytes, kBytes);
}

TEST_P(AnyPlatform, AllocatesNothingForNoBytes) {
  const Buffer none(*devices_[0], 0);
  EXPECT_EQ(devices_[0]->meter().allocations, 1U);
  streams_[0]->fill_zero(none.region());
  streams_[0]->copy(none.region(), none.region());
  streams_[0]->synchronize();
  EXPECT_EQ(platform()->fault(), "");
}

TEST_P(AnyPlatform, AlignsMemoryTo64Bytes) {
  for (const Buffer& buffer : buffers_) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.region().data) % 64, 0U);
  }
}

TEST_P(AnyPlatform, MarksGoUpAlongAStreamAndAlongAWait) {
  auto first = devices_[0]->make_mark();
  auto second = devices_[0]->make_mark();
  auto third = devices_[1]->make_mark();
  streams_[0]->mark(*first);
  streams_[0]->copy(buffers_[0].region(), in_.region());
  streams_[0]->mark(*second);
  streams_[0]->record(*events_[0]);
  streams_[1]->wait(*events_[0]);
  streams_[1]->mark(*third);
  synchronize();
  EXPECT_GE(platform()->seconds_between(*first, *second), 0);
  // Clocks of two GPUs are compared to some 10 µs.
  EXPECT_GE(platform()->seconds_between(*second, *third), -1e-3);
  EXPECT_LE(platform()->seconds_between(*second, *first), 0);
  EXPECT_EQ(platform()->fault(), "");
}

TEST_P(AnyPlatform, ReportsAWaitForAnEventThatWasNeverRecorded) {
  streams_[1]->wait(*events_[0], "slot free");
  synchronize();
  EXPECT_EQ(platform()->fault(),
            "device 1, stream 'copy': waits for an event that was never recorded "
            "(site 'slot free')");
}

TEST_P(AnyPlatform, ReportsACopyIntoARegionOfAnotherSize) {
  streams_[3]->copy(buffers_[3].part(0, 16), in_.part(0, 20));
  synchronize();
  EXPECT_EQ(platform()->fault(),
            "device 3, stream 'copy': copies 20 bytes into a region of 16");
}

}  // namespace pipeline
