// What the host platform does beyond any platform (platform_tests.hpp), with threads.
#include "device/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace pipeline {
namespace {

using ItemNumbers = std::multiset<std::pair<std::int32_t, std::uint64_t>>;

// A test runs with a thread a device, then with a thread a stream.
class HostThreads : public testing::TestWithParam<HostDrain> {
 protected:
  void make(std::int32_t devices, HostOptions options = {}) {
    options.drain = GetParam();
    platform_ = make_host_platform(devices, std::move(options));
  }
  std::unique_ptr<Stream> stream(std::int32_t device, const char* name = "s") {
    return platform_->device(device).make_stream(name);
  }
  std::unique_ptr<Event> event(std::int32_t device) {
    return platform_->device(device).make_event();
  }

  std::unique_ptr<Platform> platform_;
};

std::string drain_name(const testing::TestParamInfo<HostDrain>& drain) {
  return drain.param == HostDrain::ThreadPerDevice ? "ThreadPerDevice"
                                                   : "ThreadPerStream";
}

INSTANTIATE_TEST_SUITE_P(Device, HostThreads,
                         testing::Values(HostDrain::ThreadPerDevice,
                                         HostDrain::ThreadPerStream),
                         drain_name);

TEST_P(HostThreads, RunTheItemsOfAStreamInOrder) {
  make(1);
  auto s = stream(0);
  std::vector<int> seen;
  std::vector<int>* out = &seen;
  for (int i = 0; i < 500; ++i)
    s->run(Work([out, i](NativeStream) { out->push_back(i); }));
  s->synchronize();
  ASSERT_EQ(seen.size(), 500U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

// 16 devices on few cores: most of them sleep, and the token must wake each in turn.
TEST_P(HostThreads, PassATokenAroundManyDevices) {
  constexpr int kDevices = 16;
  constexpr int kHops = 25 * kDevices;
  make(kDevices);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;
  for (int d = 0; d < kDevices; ++d) {
    streams.push_back(stream(d));
    events.push_back(event(d));
  }
  std::vector<int> order;
  std::vector<int>* out = &order;
  for (int hop = 0; hop < kHops; ++hop) {
    const int d = hop % kDevices;
    if (hop > 0) streams[d]->wait(*events[(d + kDevices - 1) % kDevices]);
    streams[d]->run(Work([out, hop](NativeStream) { out->push_back(hop); }));
    streams[d]->record(*events[d]);
  }
  for (auto& s : streams) s->synchronize();
  ASSERT_EQ(order.size(), std::size_t{kHops});
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(HostThreads, BlockTheIssuerOfAFullQueueWithoutDeadlock) {
  make(2, {.queue_capacity = 4});
  auto a = stream(0, "a");
  auto b = stream(1, "b");
  auto ready = event(0);
  int written = 0;
  std::vector<int> read;
  int* w = &written;
  std::vector<int>* r = &read;
  for (int i = 0; i < 300; ++i) {
    a->run(Work([w, i](NativeStream) { *w = i; }));
    a->record(*ready);
    b->wait(*ready);
    b->run(Work([w, r](NativeStream) { r->push_back(*w); }));
    b->synchronize();  // the next write comes after this read
  }
  for (int i = 0; i < 300; ++i) a->run(Work([w](NativeStream) { ++*w; }));
  a->synchronize();
  EXPECT_EQ(written, 299 + 300);
  ASSERT_EQ(read.size(), 300U);
  EXPECT_TRUE(std::is_sorted(read.begin(), read.end()));
  EXPECT_EQ(read.back(), 299);
}

// Each of two threads issues to its own device and waits for the other's events.
TEST_P(HostThreads, MayBeIssuedToFromSeveralThreads) {
  constexpr int kRounds = 200;
  make(2);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> ready;
  ready.reserve(kRounds);
  streams.reserve(2);
  for (int i = 0; i < kRounds; ++i) ready.push_back(event(i % 2));
  for (int d = 0; d < 2; ++d) streams.push_back(stream(d));
  std::atomic<int> recorded{0};
  std::vector<int> order;
  std::vector<int>* out = &order;
  const auto worker = [&](int device) {
    for (int i = device; i < kRounds; i += 2) {
      while (recorded < i) std::this_thread::yield();
      if (i > 0) streams[device]->wait(*ready[i - 1]);
      streams[device]->run(Work([out, i](NativeStream) { out->push_back(i); }));
      streams[device]->record(*ready[i]);
      ++recorded;
    }
    streams[device]->synchronize();
  };
  std::thread other([&] { worker(1); });
  worker(0);
  other.join();
  ASSERT_EQ(order.size(), std::size_t{kRounds});
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(HostThreads, AskForADelayBeforeEachItem) {
  std::mutex mutex;
  ItemNumbers asked;
  make(2, {.delay = [&](std::int32_t device, std::uint64_t item) {
         const std::lock_guard lock(mutex);
         asked.emplace(device, item);
         return 100U;
       }});
  auto a = stream(0, "a");
  auto b = stream(1, "b");
  auto ready = event(0);
  int value = 0;
  int* v = &value;
  a->run(Work([v](NativeStream) { *v = 5; }));
  a->record(*ready);
  b->wait(*ready);
  b->run(Work([v](NativeStream) { *v *= 2; }));
  b->synchronize();
  const std::lock_guard lock(mutex);
  const std::uint64_t second = std::uint64_t{1} << 32;
  // The fifth is what synchronize sent behind them.
  EXPECT_EQ(asked, (ItemNumbers{
                       {0, 0}, {0, 1}, {1, second}, {1, second + 1}, {1, second + 2}}));
  EXPECT_EQ(value, 10);
}

TEST_P(HostThreads, LetAnEventBeRecordedOnTwoStreamsOfItsDevice) {
  make(2, {.delay = [](std::int32_t device, std::uint64_t item) {
         return device == 0 && (item >> 32) == 0 ? 3000U : 0U;  // only stream "slow"
       }});
  auto slow = stream(0, "slow");
  auto fast = stream(0, "fast");
  auto reader = stream(1, "reader");
  auto done = event(0);
  std::atomic<int> ran{0};
  int seen = -1;
  std::atomic<int>* r = &ran;
  int* s = &seen;
  slow->run(Work([r](NativeStream) { ++*r; }));
  slow->record(*done);
  reader->wait(*done);  // means the record on "slow" ...
  fast->record(*done);  // ... whatever is recorded later and passed earlier
  reader->run(Work([r, s](NativeStream) { *s = *r; }));
  reader->synchronize();
  EXPECT_EQ(seen, 1);
}

TEST_P(HostThreads, FinishWhatWasIssuedBeforeAStreamGoes) {
  make(1);
  int value = 0;
  int* v = &value;
  {
    auto s = stream(0);
    for (int i = 0; i < 100; ++i) s->run(Work([v](NativeStream) { ++*v; }));
  }
  EXPECT_EQ(value, 100);
}

TEST_P(HostThreads, KeepTheMeaningOfAnEventWhoseStreamIsGone) {
  make(2);
  auto done = event(0);
  {
    auto s = stream(0);
    s->record(*done);
  }
  auto t = stream(1);
  t->wait(*done);
  t->synchronize();
  EXPECT_EQ(platform_->fault(), "");
}

TEST_P(HostThreads, ReportMemoryThatIsNotHeldAnyMore) {
  make(2);
  auto s = stream(0, "copy");
  const Buffer kept(platform_->device(0), 64);
  Region gone;
  {
    const Buffer buffer(platform_->device(1), 64);
    gone = buffer.region();
  }
  s->copy(kept.region(), gone);
  s->synchronize();
  EXPECT_EQ(platform_->fault(),
            "device 0, stream 'copy': copies from memory that device 1 does not hold");
}

TEST_P(HostThreads, ReportARegionThatReachesBeyondItsBuffer) {
  make(1);
  auto s = stream(0, "compute");
  const Buffer buffer(platform_->device(0), 64);
  Region region = buffer.part(32, 32);
  region.bytes += 4;
  s->fill_zero(region);
  EXPECT_EQ(platform_->fault(),
            "device 0, stream 'compute': fills memory that device 0 does not hold");
}

TEST_P(HostThreads, ReportAnEventOfAnotherDevice) {
  make(2);
  auto s = stream(0, "compute");
  auto others = event(1);
  s->record(*others);
  EXPECT_EQ(platform_->fault(),
            "device 0, stream 'compute': records an event of device 1");
}

TEST_P(HostThreads, ReportAMarkThatIsReadTooEarlyAndKeepTheFirstFault) {
  make(1);
  auto s = stream(0);
  auto from = platform_->device(0).make_mark();
  auto to = platform_->device(0).make_mark();
  s->mark(*from);
  s->synchronize();
  EXPECT_EQ(platform_->seconds_between(*from, *to), 0);
  s->wait(*event(0));
  EXPECT_EQ(platform_->fault(),
            "seconds_between: a time mark was read before its stream passed it");
}

// A message of 4000 bytes at 200 000 bytes a second and 2 ms more: 22 ms.
class SlowLinkTest : public HostThreads {
 protected:
  static constexpr double kSeconds = 0.022;
  void SetUp() override {
    make(2, {.link = {.latency_seconds = 0.002, .bytes_per_second = 200'000}});
    for (const std::int32_t d : {0, 1}) {
      buffers_.emplace_back(platform_->device(d), 4000);
      copies_.push_back(stream(d, "copy"));
      copies_.back()->fill_zero(buffers_.back().region());
      copies_.back()->synchronize();
    }
    for (int i = 0; i < 4; ++i) marks_.push_back(platform_->device(1).make_mark());
  }
  double seconds(std::size_t from, std::size_t to) const {
    return platform_->seconds_between(*marks_[from], *marks_[to]);
  }
  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<TimeMark>> marks_;
  std::vector<std::unique_ptr<Stream>> copies_;
};
INSTANTIATE_TEST_SUITE_P(Device, SlowLinkTest,
                         testing::Values(HostDrain::ThreadPerDevice,
                                         HostDrain::ThreadPerStream),
                         drain_name);

TEST_P(SlowLinkTest, TakesItsTimeForEachMessage) {
  auto before = event(0);
  copies_[0]->mark(*marks_[0]);
  copies_[0]->run(Work([](NativeStream) {}));
  copies_[0]->record(*before);
  copies_[1]->wait(*before);
  for (std::size_t i = 1; i <= 3; ++i) {
    copies_[1]->copy(buffers_[1].region(), buffers_[0].region());
    copies_[1]->mark(*marks_[i]);
  }
  copies_[1]->synchronize();
  for (int i = 1; i <= 3; ++i) EXPECT_GE(seconds(0, i), i * kSeconds);
  EXPECT_EQ(platform_->device(1).bytes_received(), 3 * 4000U);
}

TEST_P(SlowLinkTest, LetsTheDeviceComputeMeanwhile) {
  // Both streams of device 1 start from here, when all is issued.
  std::atomic<bool> issued{false};
  auto gate = stream(0, "gate");
  auto open = event(0);
  gate->run(Work([flag = &issued](NativeStream) {
    while (!flag->load()) std::this_thread::yield();
  }));
  gate->record(*open);
  auto compute = stream(1, "compute");
  copies_[1]->wait(*open);
  copies_[1]->copy(buffers_[1].region(), buffers_[0].region());
  copies_[1]->mark(*marks_[0]);
  compute->wait(*open);
  compute->run(Work([](NativeStream) {}));
  compute->mark(*marks_[1]);
  issued = true;
  copies_[1]->synchronize();
  compute->synchronize();
  EXPECT_GT(seconds(1, 0), 0);  // the copy ended after the work
}

TEST_P(SlowLinkTest, IsNotBetweenADeviceAndTheHost) {
  const Buffer host(*platform_, 4000);
  copies_[1]->mark(*marks_[0]);
  for (int i = 0; i < 1000; ++i) {
    copies_[1]->copy(buffers_[1].region(), host.region());
  }
  copies_[1]->mark(*marks_[1]);
  copies_[1]->synchronize();
  EXPECT_LT(seconds(0, 1), 1000 * kSeconds);  // where they would take 22 s
}

TEST(HostMemory, IsNaNUntilWrittenInTheModesForTests) {
  for (const HostDrain drain : {HostDrain::ThreadPerStream, HostDrain::Seeded}) {
    auto platform = make_host_platform(1, {.drain = drain});
    const Buffer buffer(platform->device(0), 64);
    for (std::size_t i = 0; i < buffer.region().float_count(); ++i) {
      EXPECT_TRUE(std::isnan(buffer.region().floats()[i]));
    }
  }
}

TEST(HostPlatform, SaysThatItIsHostThreads) {
  EXPECT_EQ(make_host_platform(3)->level(), Level::HostThreads);
  EXPECT_EQ(make_host_platform(3)->devices(), 3);
}

TEST(HostPlatformDeathTest, WantsItsBuffersFreedFirst) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        auto platform = make_host_platform(1);
        const Buffer buffer(platform->device(0), 64);
        platform.reset();
      },
      "free buffers before their platform");
}

}  // namespace
}  // namespace pipeline
