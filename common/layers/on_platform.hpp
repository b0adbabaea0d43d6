/// \file
/// What the tests of this part and of those above share: one device of whatever
/// platform this build is for. Test code.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "device/device.hpp"
#include "layers/compute.hpp"

namespace pipeline {

/// A test that needs the device. Where there is no GPU for a cuda build it is reported
/// as skipped, with the reason; never as passed.
class OnPlatform : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_platform(1);
    if (!made && made.error().kind == ErrorKind::Absent) {
      GTEST_SKIP() << "not run: " << made.error().what;
    }
    ASSERT_TRUE(made) << made.error().what;
    platform_ = std::move(*made);
    stream_ = platform_->device(0).make_stream("compute");
  }

  Platform& platform() { return *platform_; }
  Device& device() { return platform_->device(0); }
  Stream& stream() { return *stream_; }
  /// Runs work(compute) on the stream, and waits for it.
  template <typename F>
  void run(Compute& compute, const F& work) {
    stream_->run(Work([&compute, &work](NativeStream native) {
      compute.enter(native);
      work(compute);
    }));
    stream_->synchronize();
  }

 private:
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace pipeline
