#include "device/host_queue.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace pipeline::host {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

/// A stream that computes and one that copies on a slow link, and no thread: the tests
/// pass the items, as late as they like.
class SlowCopyTest : public testing::Test {
 protected:
  void issue_copy(nanoseconds takes) {
    CopyItem item;
    item.takes = takes;
    item.issued = steady_clock::now();
    copies_.push(item);
  }
  std::mutex issuing_;
  Queue compute_{0, 0, "compute", 16, false, issuing_};
  Queue copies_{1, 1, "copy", 16, false, issuing_};
};

TEST_F(SlowCopyTest, BeginsWhenWhatItWaitsForHappenedHoweverLateThatIsNoticed) {
  compute_.push(Work([](NativeStream) {}));
  copies_.push(WaitItem{compute_.push(RecordItem{})});
  issue_copy(hours(1));
  std::this_thread::sleep_for(milliseconds(5));
  const auto before = steady_clock::now();
  run_head(compute_);
  run_head(compute_);
  std::this_thread::sleep_for(milliseconds(5));
  run_head(copies_);  // the wait
  const nanoseconds left = copies_.time_left();
  EXPECT_LE(left, hours(1) - milliseconds(5));
  EXPECT_GE(left, hours(1) - (steady_clock::now() - before));
}

TEST_F(SlowCopyTest, BeginsWhenTheOneBeforeItEnded) {
  const auto before = steady_clock::now();
  issue_copy(milliseconds(2));
  issue_copy(hours(1));
  EXPECT_LE(copies_.time_left(), milliseconds(2));
  std::this_thread::sleep_for(milliseconds(7));
  EXPECT_EQ(copies_.time_left(), nanoseconds(0));
  run_head(copies_);
  const nanoseconds left = copies_.time_left();
  EXPECT_LE(left, hours(1) - milliseconds(5));
  EXPECT_GE(left, hours(1) + milliseconds(2) - (steady_clock::now() - before));
}

TEST_F(SlowCopyTest, DoesNotBeginBeforeItIsIssued) {
  copies_.push(WaitItem{compute_.push(RecordItem{})});
  run_head(compute_);
  run_head(copies_);
  std::this_thread::sleep_for(milliseconds(5));
  const auto before = steady_clock::now();
  issue_copy(hours(1));
  const nanoseconds left = copies_.time_left();
  EXPECT_GE(left, hours(1) - (steady_clock::now() - before));
}

TEST_F(SlowCopyTest, WaitsForWorkOfItsOwnStream) {
  copies_.push(Work([](NativeStream) {}));
  issue_copy(hours(1));
  std::this_thread::sleep_for(milliseconds(5));
  const auto before = steady_clock::now();
  run_head(copies_);
  const nanoseconds left = copies_.time_left();
  EXPECT_GE(left, hours(1) - (steady_clock::now() - before));
}

}  // namespace
}  // namespace pipeline::host
