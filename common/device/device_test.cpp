#include "device/device.hpp"

#include <gtest/gtest.h>

#include "device/host.hpp"

namespace pipeline {
namespace {

class BufferTest : public testing::Test {
 protected:
  std::size_t live() const { return device_.meter().live_bytes; }

  std::unique_ptr<Platform> platform_ = make_host_platform(1);
  Device& device_ = platform_->device(0);
};

TEST_F(BufferTest, FreesWhatItHeldWhenAnotherIsMovedIn) {
  Buffer a(device_, 100);
  Buffer b(device_, 60);
  const std::byte* data = b.region().data;
  EXPECT_EQ(live(), 160U);
  a = std::move(b);
  EXPECT_EQ(live(), 60U);
  EXPECT_EQ(a.region().data, data);
  EXPECT_EQ(a.region().bytes, 60U);
  a = Buffer();
  EXPECT_EQ(live(), 0U);
}

TEST_F(BufferTest, MovesWithoutAllocating) {
  Buffer a(device_, 100);
  Buffer b(std::move(a));
  EXPECT_EQ(device_.meter().allocations, 1U);
  Buffer& same = b;
  b = std::move(same);
  EXPECT_EQ(b.region().bytes, 100U);
  EXPECT_EQ(live(), 100U);
}

TEST_F(BufferTest, PartsAreViewsOnTheSameDevice) {
  const Buffer whole(device_, 100);
  const Region part = whole.part(40, 60);
  EXPECT_EQ(part.data, whole.region().data + 40);
  EXPECT_EQ(part.bytes, 60U);
  EXPECT_EQ(part.device, &device_);
  EXPECT_EQ(part.float_count(), 15U);
}

TEST_F(BufferTest, DoesNotMeterHostMemory) {
  const Buffer memory(*platform_, 100);
  EXPECT_EQ(memory.region().device, nullptr);
  EXPECT_EQ(live(), 0U);
}

TEST_F(BufferTest, RefusesAPartOutsideIt) {
  const Buffer whole(device_, 100);
  EXPECT_DEATH(static_cast<void>(whole.part(41, 60)), "offset");
}

}  // namespace
}  // namespace pipeline
