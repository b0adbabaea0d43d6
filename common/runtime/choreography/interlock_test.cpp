// Steps that follow one another without a barrier interlock; with one they do not.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/host.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

/// When the last gradient of the first step has been computed, and when the first
/// forward of the second step starts, in a legal order drawn from `seed`.
struct Moments {
  double last_gradient = 0;
  double next_forward = 1e9;
};

Moments moments_of(const Schedule& schedule, std::uint64_t seed) {
  HostOptions host;
  host.drain = HostDrain::Seeded;
  host.seed = seed;
  const auto platform = make_host_platform(schedule.devices(), host);
  const Timeline timeline =
      train_small(*platform, schedule, {}, {23, 17}).result.timeline;
  Moments moments;
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      const Action& action = schedule.rows[d][i].action;
      const Span& span = timeline.spans[d][i];
      if (action.micro_batch >= schedule.micro_batches) {
        moments.next_forward = std::min(moments.next_forward, span.start);
      } else if (action.kind < ActionKind::Reduce) {
        moments.last_gradient = std::max(moments.last_gradient, span.end);
      }
    }
  }
  return moments;
}

/// Whether in some legal order the second step begins before the first has ended.
bool can_interlock(const Schedule& schedule) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Moments moments = moments_of(schedule, seed);
    if (moments.next_forward < moments.last_gradient) return true;
  }
  return false;
}

// The first device begins a step. That of 1F1B also ends one, with the backward of the
// last micro-batch; that of ZB-H2 is done while the others fill in weight gradients.
TEST(Steps, InterlockWhereTheFirstDeviceIsDoneBeforeTheOthers) {
  EXPECT_TRUE(can_interlock(generated("zb-h2", {.shape = {4, 8, 2, false}})));
  EXPECT_TRUE(can_interlock(generated("zb-v", {.shape = {4, 8, 2, false}})));
  EXPECT_FALSE(can_interlock(generated("1f1b", {.shape = {4, 8, 2, false}})));
}

TEST(Steps, DoNotWithTheNormOfAllGradientsBetweenThem) {
  EXPECT_FALSE(can_interlock(generated("zb-h2", {.shape = {4, 8, 2, true}})));
  EXPECT_FALSE(can_interlock(generated("zb-v", {.shape = {4, 8, 2, true}})));
}

}  // namespace
}  // namespace pipeline
