#include "device/allocation_watch.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "device/host.hpp"

namespace pipeline {
namespace {

struct alignas(64) Line {
  float values[16];
};

// Through a volatile pointer, so that the compiler can't leave the pair out.
template <typename T>
void allocate_one() {
  T* volatile p = new T;
  delete p;
}

std::uint64_t counted(void (*work)()) {
  const std::uint64_t before = allocations_so_far();
  work();
  return allocations_so_far() - before;
}

TEST(AllocationWatch, CountsEveryFormOfNew) {
  EXPECT_TRUE(allocations_are_watched());
  EXPECT_EQ(counted([] {}), 0U);
  EXPECT_EQ(counted(allocate_one<int>), 1U);
  EXPECT_EQ(counted(allocate_one<Line>), 1U);
  EXPECT_EQ(counted([] {
              int* volatile p = new (std::nothrow) int[3];
              delete[] p;
            }),
            1U);
}

TEST(AllocationWatch, LeavesOutWhatIsExemptOnThisThreadOnly) {
  const AllocationsNotCounted outer;
  {
    const AllocationsNotCounted inner;
    EXPECT_EQ(counted(allocate_one<int>), 0U);
  }
  EXPECT_EQ(counted(allocate_one<int>), 0U);
  std::uint64_t elsewhere = 0;
  std::thread([&elsewhere] { elsewhere = counted(allocate_one<int>); }).join();
  EXPECT_EQ(elsewhere, 1U);
}

TEST(AllocationWatch, SeesNoneWhenHostStreamsAreIssuedTo) {
  for (const HostDrain drain :
       {HostDrain::ThreadPerDevice, HostDrain::ThreadPerStream}) {
    auto platform = make_host_platform(2, {.drain = drain});
    auto compute = platform->device(0).make_stream("compute");
    auto copy = platform->device(1).make_stream("copy");
    auto ready = platform->device(0).make_event();
    auto taken = platform->device(1).make_event();
    auto mark = platform->device(1).make_mark();
    Buffer from(platform->device(0), 256);
    Buffer to(platform->device(1), 256);
    auto step = [&] {
      for (int i = 0; i < 50; ++i) {
        compute->fill_zero(from.region());
        compute->run(Work([](NativeStream) {}));
        compute->record(*ready);
        copy->wait(*ready);
        copy->copy(to.region(), from.region());
        copy->mark(*mark);
        copy->record(*taken);
        compute->wait(*taken);
      }
      compute->synchronize();
      copy->synchronize();
    };
    step();
    const std::uint64_t before = allocations_so_far();
    step();
    EXPECT_EQ(allocations_so_far(), before);
    EXPECT_EQ(platform->fault(), "");
  }
}

}  // namespace
}  // namespace pipeline
