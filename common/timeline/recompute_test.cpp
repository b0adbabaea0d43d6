#include "schedule/recompute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/test_rows.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

using Chunks = std::vector<std::int32_t>;
using Policy = RecomputePolicy;

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches};
  return *generate(name, {shape});
}

Schedule recomputed(const Schedule& schedule, Policy policy) {
  return *with_recompute(schedule, {.policies = {policy}});
}

/// F=1, B=2, R=1.
Metrics metrics_of(const Schedule& schedule) {
  return measure(schedule, *simulate(schedule, Costs{}));
}

int tries(int few, int many) { return in_full_tier() ? many : few; }

// --- Time

struct Makespans {
  const char* name;
  std::int32_t p, m;
  double never, all_but_last, always;
};

TEST(Rematerialization, TakesAThirdMoreWorkAndLessThanAThirdMoreTime) {
  for (const auto& [name, p, m, never, all_but_last, always] :
       {Makespans{"1f1b", 4, 8, 33, 38, 41},
        {"1f1b", 4, 4, 21, 22, 25},
        {"1f1b", 2, 16, 51, 64, 67},
        {"gpipe", 4, 8, 33, 40, 41},
        {"gpipe", 4, 4, 21, 24, 25},
        {"gpipe", 2, 16, 51, 66, 67}}) {
    const Schedule schedule = make(name, p, m);
    EXPECT_EQ(metrics_of(schedule).makespan, never);
    EXPECT_EQ(metrics_of(recomputed(schedule, Policy::AllButLast)).makespan,
              all_but_last)
        << name << ' ' << p << ' ' << m;
    const Metrics metrics = metrics_of(recomputed(schedule, Policy::Always));
    EXPECT_EQ(metrics.makespan, always) << name << ' ' << p << ' ' << m;
    for (const double busy : metrics.busy) EXPECT_EQ(busy, 4 * m);
  }
}

TEST(Rematerialization, IsWaitedForOnTheLastDeviceAlone) {
  // There all forwards are followed by m (R+B), and the last gradient finds the other
  // devices with nothing left to re-compute.
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 16; ++m) {
      for (const char* name : {"gpipe", "1f1b"}) {
        const double expected = (m + p - 1) + m * (1 + 2) + (p - 1) * 2;
        EXPECT_EQ(metrics_of(recomputed(make(name, p, m), Policy::Always)).makespan,
                  expected)
            << name << ' ' << p << ' ' << m;
      }
    }
  }
}

TEST(Rematerialization, NeverTakesLongerThanItsWorkNorLessThanTheScheduleWithout) {
  test::Random random(7);
  for (int i = 0; i < tries(100, 2000); ++i) {
    const Schedule schedule = test::random_generated(random);
    const auto longer = with_recompute(schedule);
    if (!longer) continue;  // forwards alone
    const Metrics before = metrics_of(schedule);
    const Metrics after = metrics_of(*longer);
    EXPECT_GE(after.makespan, before.makespan) << schedule.name;
    double most = 0;
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      const auto again = static_cast<double>(recomputes_of(*longer)[d]);
      EXPECT_NEAR(after.busy[d], before.busy[d] + again, 1e-9);
      most += again;
    }
    EXPECT_LE(after.makespan, before.makespan + most) << schedule.name;
  }
}

// --- Memory

TEST(Rematerialization, HoldsOneActivationAndTheInputsOfTheOthers) {
  const Memory gpipe = memory(recomputed(make("gpipe", 3, 8), Policy::Always),
                              {.activation_bytes = {64}, .input_share = {0.25}});
  EXPECT_EQ(gpipe.peak_chunks, (Chunks{1, 1, 1}));
  EXPECT_EQ(gpipe.peak, (std::vector<double>(3, 1 + 7 * 0.25)));
  EXPECT_EQ(gpipe.peak_bytes, (std::vector<double>(3, 64 + 7 * 16)));
  const Memory interleaving = memory(recomputed(make("1f1b", 4, 8), Policy::Always),
                                     {.input_share = {0.25, 0.5, 0, 0.25}});
  EXPECT_EQ(interleaving.peak_chunks, (Chunks{1, 1, 1, 1}));
  EXPECT_EQ(interleaving.peak, (std::vector<double>{1.75, 2, 1, 1}));
  EXPECT_EQ(memory(recomputed(make("1f1b", 4, 8), Policy::AllButLast)).peak_chunks,
            (Chunks{2, 2, 2, 1}));
}

TEST(Rematerialization, CountsWhatIsJoinedBeforeAnythingIsFreed) {
  const Schedule joined = test::from_rows(2, {"F0 R0+F1+B0 R1 B1 U1"});
  EXPECT_EQ(memory(joined).peak_chunks, Chunks{2});
  const Schedule halved = test::from_rows(2, {"F0 F1 R0 I0 R1 I1 W0 W1 U1"});
  EXPECT_EQ(memory(halved).peak_chunks, Chunks{2});
  EXPECT_EQ(memory(halved, {.freed_by_input_gradient = 0.5}).peak,
            std::vector<double>{1.5});
  EXPECT_EQ(memory(halved, {.freed_by_input_gradient = 1}).peak_chunks, Chunks{1});
}

TEST(Rematerialization, CountsASliceAsItsShare) {
  const Schedule sliced = *generate(
      "token-slices", {.shape = {.devices = 2, .micro_batches = 2}, .slices = {4}});
  const Memory held =
      memory(recomputed(sliced, Policy::Always), {.input_share = {0.5}});
  EXPECT_EQ(held.peak_chunks, (Chunks{1, 1}));
  EXPECT_EQ(held.peak, (std::vector<double>(2, 0.25 + 7 * 0.125)));
}

/// Two stages of different sizes on each device.
RecomputeOptions in_bytes(double limit) {
  return {.policies = {Policy::ForMemory},
          .limit = {limit},
          .activation_bytes = {100, 40, 30, 70},
          .input_share = {0.1, 0.25, 0.5, 0}};
}

MemoryOptions sizes_of(const RecomputeOptions& options) {
  return {.activation_bytes = options.activation_bytes,
          .input_share = options.input_share};
}

TEST(RecomputeForMemory, KeepsToALimitInBytesAndCouldKeepNoneMore) {
  const Schedule schedule = make("interleaved", 2, 6);
  int between = 0;
  for (int tens = 10; tens <= 50; ++tens) {
    const double limit = 10.0 * tens;
    const RecomputeOptions options = in_bytes(limit);
    const auto result = with_recompute(schedule, options);
    if (!result) continue;
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_LE(memory(*result, sizes_of(options)).peak_bytes[d], limit);
      const auto again = recomputes_of(*result)[d];
      between += static_cast<int>(again > 0 && again < 12);
      for (std::size_t i = 0; i < result->rows[d].size(); ++i) {
        if (result->rows[d][i].action.kind != ActionKind::Recompute) continue;
        Schedule fewer = *result;
        fewer.rows[d].erase(fewer.rows[d].begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_GT(memory(fewer, sizes_of(options)).peak_bytes[d], limit);
      }
    }
  }
  EXPECT_GT(between, 10);
}

TEST(RecomputeForMemory, NamesTheLeastNumberOfBytes) {
  const Schedule schedule = make("interleaved", 2, 6);
  const auto refused = with_recompute(schedule, in_bytes(1));
  ASSERT_FALSE(refused);
  const Schedule least = recomputed(schedule, Policy::Always);
  const Memory held = memory(least, sizes_of(in_bytes(1)));
  const double most = std::max(held.peak_bytes[0], held.peak_bytes[1]);
  EXPECT_EQ(refused.error().remedy,
            "allow it at least " + std::to_string(std::lround(most)));
  EXPECT_TRUE(with_recompute(schedule, in_bytes(most)));
  EXPECT_FALSE(with_recompute(schedule, in_bytes(most - 1)));
}

TEST(Verify, CountsTheMemoryOfRecomputedRowsAsTheMemoryFunctionDoes) {
  test::Random random(3);
  int tried = 0;
  while (tried < tries(200, 4000)) {
    const Schedule schedule = random.one_in(2) ? test::random_schedule(random)
                                               : test::random_generated(random);
    MemoryOptions options;
    options.freed_by_input_gradient = 0.25 * random.between(0, 4);
    for (std::int32_t s = 0; s < schedule.stages(); ++s) {
      options.input_share.push_back(0.25 * random.between(0, 4));
    }
    ++tried;
    VerifyOptions limits;
    limits.freed_by_input_gradient = options.freed_by_input_gradient;
    limits.input_share = options.input_share;
    limits.memory_limit = memory(schedule, options).peak;
    EXPECT_TRUE(verify(schedule, limits).empty()) << to_text(schedule);
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      if (limits.memory_limit[d] == 0) continue;
      VerifyOptions less = limits;
      less.memory_limit[d] -= 0.01;
      EXPECT_TRUE(test::has(verify(schedule, less), FaultKind::OverMemory));
    }
  }
}

}  // namespace
}  // namespace pipeline
