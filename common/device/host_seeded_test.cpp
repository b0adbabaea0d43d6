// Seeded: one thread, all devices, any legal order drawn from a seed.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "device/host.hpp"

namespace pipeline {
namespace {

// Streams, one a device, whose works write their names down as they run.
class Program {
 public:
  Program(std::int32_t streams, HostOptions options) {
    options.drain = HostDrain::Seeded;
    platform_ = make_host_platform(streams, std::move(options));
    for (std::int32_t s = 0; s < streams; ++s) {
      streams_.push_back(platform_->device(s).make_stream("s" + std::to_string(s)));
    }
  }

  void run(std::int32_t stream, char name) {
    std::string* order = &order_;
    streams_[stream]->run(
        Work([order, name](NativeStream) { order->push_back(name); }));
  }
  /// What `stream` has so far, for others to wait for.
  const Event* record(std::int32_t stream) {
    events_.push_back(platform_->device(stream).make_event());
    streams_[stream]->record(*events_.back());
    return events_.back().get();
  }
  void wait(std::int32_t stream, const Event* event, const char* site = "") {
    streams_[stream]->wait(*event, site);
  }
  const std::string& order() const { return order_; }
  std::string finish() {
    streams_.front()->synchronize();
    return order_;
  }

 private:
  std::unique_ptr<Platform> platform_;
  std::string order_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

TEST(SeededHost, RunsNothingBeforeSynchronize) {
  Program program(2, {});
  program.run(0, 'a');
  program.run(1, 'b');
  EXPECT_EQ(program.order(), "");
  EXPECT_EQ(program.finish().size(), 2U);
}

TEST(SeededHost, DrawsEveryInterleavingOfTwoStreams) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Program program(2, {.seed = seed});
    program.run(0, 'a');
    program.run(0, 'b');
    program.run(1, 'x');
    program.run(1, 'y');
    orders.insert(program.finish());
  }
  EXPECT_EQ(orders,
            (std::set<std::string>{"abxy", "axby", "axyb", "xaby", "xayb", "xyab"}));
}

TEST(SeededHost, DrawsOnlyOrdersThatWaitsAllow) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Program program(2, {.seed = seed});
    program.run(0, 'a');
    const Event* a = program.record(0);
    program.run(0, 'b');
    program.run(1, 'x');
    program.wait(1, a);
    program.run(1, 'y');
    orders.insert(program.finish());
  }
  EXPECT_EQ(orders, (std::set<std::string>{"abxy", "axby", "axyb", "xaby", "xayb"}));
}

// Random programs: whatever is drawn, streams stay in order and waits are kept.
TEST(SeededHost, KeepsHappensBeforeInRandomPrograms) {
  constexpr int kStreams = 5;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Program program(kStreams, {.seed = seed});
    std::vector<std::pair<char, char>> before;  // first, then
    std::map<int, char> last;                   // of each stream
    char name = 1;
    for (int i = 0; i < 100; ++i, ++name) {
      const int s = static_cast<int>(random() % kStreams);
      const int other = static_cast<int>(random() % kStreams);
      if (last.count(other) != 0 && random() % 3 == 0) {
        program.wait(s, program.record(other));
        before.emplace_back(last[other], name);
      }
      if (last.count(s) != 0) before.emplace_back(last[s], name);
      program.run(s, name);
      last[s] = name;
    }
    const std::string order = program.finish();
    ASSERT_EQ(order.size(), 100U);
    for (const auto& [first, then] : before) {
      ASSERT_LT(order.find(first), order.find(then)) << "seed " << seed;
    }
  }
}

TEST(SeededHost, DrawsTheSameOrderWhicheverThreadIssuesFirst) {
  const auto issue = [](Program& program, std::int32_t stream) {
    for (char c = 0; c < 20; ++c) {
      program.run(stream, static_cast<char>('A' + 20 * stream + c));
    }
  };
  Program one(2, {.seed = 3});
  issue(one, 0);
  issue(one, 1);
  Program other(2, {.seed = 3});
  std::thread([&] { issue(other, 1); }).join();
  issue(other, 0);
  EXPECT_EQ(one.finish(), other.finish());
}

TEST(SeededHost, HoldsMoreItemsThanItsQueueStartsWith) {
  Program program(2, {.queue_capacity = 4});
  for (int i = 0; i < 1000; ++i) program.run(0, static_cast<char>('a' + i % 26));
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(static_cast<char>('a' + i % 26));
  EXPECT_EQ(program.finish(), expected);
  program.run(0, 'z');  // and goes on after a drain
  EXPECT_EQ(program.finish(), expected + 'z');
}

HostOptions dropping(const std::string& site, std::uint64_t seed) {
  return {.seed = seed,
          .drop_wait = [site](const WaitInfo& wait) { return wait.site == site; }};
}

TEST(SeededHost, RunsWhatADroppedWaitNamedAfterItsReader) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program(3, dropping("ready", seed));
    program.run(0, 'a');
    program.run(0, 'w');  // writes
    program.wait(1, program.record(0), "ready");
    program.run(1, 'r');  // reads
    program.run(2, 'z');
    const std::string order = program.finish();
    EXPECT_LT(order.find('r'), order.find('a')) << order;
    EXPECT_LT(order.find('z'), order.find('a')) << order;
    EXPECT_EQ(order.substr(2), "aw");
  }
}

// The reader needs `a` through another wait; nothing makes `w` come before it.
TEST(SeededHost, RunsOnlyThatPartOfADeferredStreamWhichIsNeededElsewhere) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program(3, dropping("ready", seed));
    program.run(0, 'a');
    const Event* a = program.record(0);
    program.run(0, 'w');
    const Event* w = program.record(0);
    program.run(0, 'b');
    program.wait(2, a);
    program.run(2, 'm');
    program.wait(1, program.record(2));
    program.wait(1, w, "ready");
    program.run(1, 'r');
    EXPECT_EQ(program.finish(), "amrwb");
  }
}

TEST(SeededHost, StillKeepsAWaitThatFollowsFromOthers) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program(3, dropping("twice", seed));
    program.run(0, 'w');
    const Event* w = program.record(0);
    program.wait(1, w);
    program.run(1, 'm');
    program.wait(2, program.record(1));
    program.wait(2, w, "twice");  // w came before m anyway
    program.run(2, 'r');
    EXPECT_EQ(program.finish(), "wmr");
  }
}

TEST(SeededHost, NamesEachWaitToTheHook) {
  std::vector<std::string> seen;
  Program program(3, {.drop_wait = [&](const WaitInfo& wait) {
                    seen.push_back(std::to_string(wait.ordinal) + " " + wait.site +
                                   " " + std::to_string(wait.device) + " " +
                                   std::string(wait.stream) + " " +
                                   std::to_string(wait.in_stream));
                    return false;
                  }});
  const Event* event = program.record(0);
  program.wait(1, event, "first");
  program.wait(2, event, "second");
  program.wait(1, event, "third");
  program.finish();
  EXPECT_EQ(seen, (std::vector<std::string>{"0 first 1 s1 0", "1 second 2 s2 0",
                                            "2 third 1 s1 1"}));
}

}  // namespace
}  // namespace pipeline
