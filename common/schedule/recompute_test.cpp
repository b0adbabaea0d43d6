#include "schedule/recompute.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::from_rows;
using test::has;
using test::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Counts = std::vector<std::int64_t>;
using Policy = RecomputePolicy;

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches,
              std::int32_t steps = 1) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches, .steps = steps};
  return *generate(name, {shape});
}

Schedule recomputed(const Schedule& schedule, Policy policy) {
  return *with_recompute(schedule, {.policies = {policy}});
}

RecomputeOptions within(std::vector<double> limit) {
  return {.policies = {Policy::ForMemory}, .limit = std::move(limit)};
}

/// The same without its recomputations.
Schedule plain(Schedule schedule) {
  for (Row& row : schedule.rows) {
    std::erase_if(row, [](const Entry& entry) {
      return entry.action.kind == ActionKind::Recompute;
    });
  }
  return schedule;
}

bool needs_activation(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::InputGradient;
}

std::int64_t backwards_in(const Row& row) {
  return std::count_if(row.begin(), row.end(), [](const Entry& entry) {
    return needs_activation(entry.action.kind);
  });
}

Schedule random_training(Random& random) {
  while (true) {
    Schedule schedule = plain(random.one_in(2) ? test::random_generated(random)
                                               : test::random_schedule(random));
    if (schedule.training) return schedule;
  }
}

int tries(int few, int many) { return in_full_tier() ? many : few; }

// --- Where it stands

TEST(Recompute, StandsRightBeforeEachBackward) {
  EXPECT_EQ(recomputed(make("1f1b", 2, 2), Policy::Always).rows,
            from_rows(2, {"F0 F1 R0 B0 R1 B1 U1", "F0 R0 B0 F1 R1 B1 U1"}).rows);
}

TEST(Recompute, StandsBeforeTheInputGradientOfAHalvedBackward) {
  EXPECT_EQ(recomputed(from_rows(2, {"F0 F1 I0 I1 W0 W1 U1"}), Policy::Always).rows,
            from_rows(2, {"F0 F1 R0 I0 R1 I1 W0 W1 U1"}).rows);
}

TEST(Recompute, StandsAloneBeforeAnOverlappedPair) {
  // So that it does not wait for the gradient, as the pair does.
  EXPECT_EQ(recomputed(from_rows(2, {"F0 F1+B0 B1 U1"}), Policy::Always).rows,
            from_rows(2, {"F0 R0 F1+B0 R1 B1 U1"}).rows);
  const Schedule two_way = recomputed(make("dualpipe", 4, 8), Policy::Always);
  for (const Row& row : two_way.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].action.kind != ActionKind::Recompute) continue;
      EXPECT_FALSE(row[i].with_next);
      EXPECT_TRUE(i == 0 || !row[i - 1].with_next);
    }
  }
}

TEST(Recompute, LeavesEverythingElseWhereItWasAndTheScheduleValid) {
  Random random(12);
  for (int i = 0; i < tries(150, 3000); ++i) {
    const Schedule schedule = random_training(random);
    for (const Policy policy : {Policy::Never, Policy::AllButLast, Policy::Always}) {
      const Schedule longer = recomputed(schedule, policy);
      EXPECT_EQ(plain(longer), schedule);
      EXPECT_TRUE(verify(longer).empty()) << to_text(longer);
      EXPECT_TRUE(verify(lower(longer)).empty()) << to_text(longer);
      for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
        const std::int64_t all = backwards_in(schedule.rows[d]);
        const std::int64_t count = recomputes_of(longer)[d];
        EXPECT_GE(count, policy == Policy::Always ? all : 0);
        EXPECT_LE(count, policy == Policy::Never ? 0 : all);
      }
    }
  }
}

TEST(Recompute, LeavesOutWhatIsLastOfAStepAndWhatIsNeededAtOnce) {
  EXPECT_EQ(recomputes_of(recomputed(make("gpipe", 3, 5), Policy::AllButLast)),
            (Counts{4, 4, 4}));
  EXPECT_EQ(recomputes_of(recomputed(make("1f1b", 4, 8), Policy::AllButLast)),
            (Counts{7, 7, 7, 0}));
  EXPECT_EQ(recomputes_of(recomputed(make("1f1b", 2, 5, 3), Policy::AllButLast)),
            (Counts{12, 0}));
  // One a stage (two on each device), and on a last stage of a V all; of a second copy
  // too.
  EXPECT_EQ(recomputes_of(recomputed(make("dualpipe-v", 2, 4), Policy::AllButLast)),
            (Counts{3, 6}));
  EXPECT_EQ(recomputes_of(recomputed(make("dualpipe", 2, 8), Policy::AllButLast)),
            (Counts{3, 3}));
  EXPECT_EQ(recomputed(make("gpipe", 1, 3), Policy::AllButLast).rows,
            from_rows(3, {"F0 F1 F2 R0 B0 R1 B1 B2 U2"}).rows);
}

TEST(Recompute, FollowsThePolicyOfEachStage) {
  const RecomputeOptions options{
      .policies = {Policy::Always, Policy::Never, Policy::AllButLast}};
  EXPECT_EQ(recomputes_of(*with_recompute(make("gpipe", 3, 4), options)),
            (Counts{4, 0, 3}));
  const Schedule two_stages =
      from_rows(2, {"0F0 1F0 1B0 0B0 0F1 1F1 1B1 0B1 0U1 1U1"}, {0, 0});
  EXPECT_EQ(
      with_recompute(two_stages, {.policies = {Policy::Always, Policy::Never}})->rows,
      from_rows(2, {"0F0 1F0 1B0 0R0 0B0 0F1 1F1 1B1 0R1 0B1 0U1 1U1"}, {0, 0}).rows);
}

// --- As few as will do

TEST(RecomputeForMemory, KeepsWhatIsNeededSoonestAndStaysWithinTheLimit) {
  const Schedule schedule = make("gpipe", 1, 4);
  EXPECT_EQ(with_recompute(schedule, within({4}))->rows, schedule.rows);
  EXPECT_EQ(with_recompute(schedule, within({3}))->rows,
            from_rows(4, {"F0 F1 F2 F3 B0 B1 R2 B2 B3 U3"}).rows);
  EXPECT_EQ(with_recompute(schedule, within({1}))->rows,
            from_rows(4, {"F0 F1 F2 F3 R0 B0 R1 B1 R2 B2 R3 B3 U3"}).rows);
}

TEST(RecomputeForMemory, SparesTheDevicesThatHoldLittleAnyway) {
  // 1F1B holds 4, 3, 2 and 1.
  const Schedule schedule = make("1f1b", 4, 8);
  const auto counts = [&](const std::vector<double>& limit) {
    return recomputes_of(*with_recompute(schedule, within(limit)));
  };
  EXPECT_EQ(counts({4}), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(counts({1}), (Counts{8, 8, 8, 0}));
  EXPECT_EQ(counts({2})[2], 0);
  EXPECT_GT(counts({2})[1], 0);
  EXPECT_EQ(counts({4, 2, 2, 1})[0], 0);
  EXPECT_EQ(counts({4, 2, 2, 1})[1], counts({2})[1]);
}

/// The same with those backwards of device `d` re-computed that `chosen` has a bit for.
Schedule with_some(const Schedule& schedule, std::size_t d, std::uint32_t chosen) {
  Schedule result = schedule;
  Row& row = result.rows[d];
  row.clear();
  std::uint32_t bit = 1;
  Row unit;
  for (const Entry& entry : schedule.rows[d]) {
    unit.push_back(entry);
    if (needs_activation(entry.action.kind)) {
      Action again = entry.action;
      again.kind = ActionKind::Recompute;
      if ((chosen & bit) != 0) row.push_back({again});
      bit *= 2;
    }
    if (entry.with_next) continue;
    row.insert(row.end(), unit.begin(), unit.end());
    unit.clear();
  }
  return result;
}

/// Fewest recomputations that keep device `d` within its limit, of all choices there
/// are; -1 if none does.
std::int64_t fewest_by_trying(const Schedule& schedule, std::size_t d,
                              const RecomputeOptions& options) {
  VerifyOptions limits;
  limits.memory_limit.assign(schedule.rows.size(), kInfinity);
  limits.memory_limit[d] = options.limit[0];
  limits.freed_by_input_gradient = options.freed_by_input_gradient;
  limits.input_share = options.input_share;
  std::int64_t fewest = -1;
  const auto all = static_cast<std::uint32_t>(backwards_in(schedule.rows[d]));
  for (std::uint32_t chosen = 0; chosen < 1U << all; ++chosen) {
    const int count = std::popcount(chosen);
    if (fewest >= 0 && count >= fewest) continue;
    if (verify(with_some(schedule, d, chosen), limits).empty()) fewest = count;
  }
  return fewest;
}

TEST(RecomputeForMemory, TakesTheFewestOfAllChoicesThatThereAre) {
  Random random(41);
  int limited = 0;
  for (int i = 0; i < tries(400, 4000); ++i) {
    const Schedule schedule = random_training(random);
    if (!schedule.slices.empty()) continue;  // those differ in size
    RecomputeOptions options = within({0.5 * random.between(1, 8)});
    options.freed_by_input_gradient = 0.25 * random.between(0, 4);
    options.input_share = {0.25 * random.between(0, 3)};
    const auto result = with_recompute(schedule, options);
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      const std::int64_t all = backwards_in(schedule.rows[d]);
      if (all > 9) continue;
      const std::int64_t fewest = fewest_by_trying(schedule, d, options);
      if (fewest < 0) {
        EXPECT_FALSE(result);
        continue;
      }
      if (!result) continue;  // for another device
      EXPECT_EQ(recomputes_of(*result)[d], fewest) << to_text(*result);
      limited += static_cast<int>(fewest > 0 && fewest < all);
    }
  }
  EXPECT_GT(limited, 20);  // else the limits were never between all and nothing
}

TEST(RecomputeForMemory, NamesTheLeastLimitThatCanBeKept) {
  Random random(4);
  int refused = 0;
  for (int i = 0; i < tries(150, 3000); ++i) {
    const Schedule schedule = random_training(random);
    RecomputeOptions options = within({0.25});
    options.input_share = {0.25 * random.between(0, 3)};
    const auto result = with_recompute(schedule, options);
    if (result) continue;
    ++refused;
    const std::string& remedy = result.error().remedy;
    ASSERT_TRUE(remedy.starts_with("allow it at least ")) << remedy;
    const double least = std::stod(remedy.substr(18));
    options.limit = {least};
    const auto kept = with_recompute(schedule, options);
    ASSERT_TRUE(kept) << kept.error().what;
    VerifyOptions limits{.memory_limit = {least}, .input_share = options.input_share};
    EXPECT_TRUE(verify(*kept, limits).empty());
    options.limit = {least - 0.02};
    EXPECT_FALSE(with_recompute(schedule, options));
  }
  EXPECT_GT(refused, 100);
}

TEST(RecomputeForMemory, SaysWhichDeviceNeedsHowMuch) {
  RecomputeOptions options = within({2});
  options.input_share = {0.5};
  auto result = with_recompute(make("gpipe", 2, 7), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what,
            "device 0 holds 4 activations even where it re-computes all that it may, "
            "over its limit of 2");
  EXPECT_EQ(result.error().remedy, "allow it at least 4");
  options.limit = {4, 3};
  result = with_recompute(make("gpipe", 2, 7), options);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().what.starts_with("device 1 holds 4"))
      << result.error().what;
  // A stage that may not re-compute holds all.
  options.limit = {1};
  options.policies = {Policy::Never, Policy::ForMemory};
  options.input_share.clear();
  result = with_recompute(make("gpipe", 2, 7), options);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().what.starts_with("device 0 holds 7"))
      << result.error().what;
  options.limit = {7, 1};
  EXPECT_EQ(recomputes_of(*with_recompute(make("gpipe", 2, 7), options)),
            (Counts{0, 7}));
}

// --- What is refused

struct Case {
  Schedule schedule;
  RecomputeOptions options;
  const char* what;
};

TEST(Recompute, IsRefusedWithTheReason) {
  const Schedule good = make("1f1b", 2, 4);
  Schedule broken = good;
  broken.rows[1].pop_back();
  const auto with = [](RecomputeOptions options, double freed,
                       std::vector<double> bytes, std::vector<double> shares) {
    options.freed_by_input_gradient = freed;
    options.activation_bytes = std::move(bytes);
    options.input_share = std::move(shares);
    return options;
  };
  const Case cases[] = {
      {make("forward", 2, 4), {}, "forward only goes forward"},
      {lower(good), {}, "the rows hold sends and receives already"},
      {recomputed(good, Policy::Always), {}, "re-computes already"},
      {broken, {}, "U3 of stage 1"},
      {Schedule{}, {}, "devices"},
      {good, {.policies = {}}, "0 policies do not fit 2 stages"},
      {good,
       {.policies = {Policy::Never, Policy::Never, Policy::Never}},
       "3 policies do not fit 2"},
      {good, {.policies = {Policy::ForMemory}}, "without a limit"},
      {good, {.limit = {2}}, "a limit was given, and no stage"},
      {good, within({1, 2, 3}), "3 limits do not fit 2 devices"},
      {good, within({-1}), "from 0 up, not -1"},
      {good, within({std::nan("")}), "from 0 up"},
      {good, with({}, 1.5, {}, {}), "from 0 to 1, not 1.5"},
      {good, with({}, std::nan(""), {}, {}), "not a number"},
      {good, with({}, 0, {}, {-0.5}), "from 0 to 1, not -0.5"},
      {good, with({}, 0, {}, {0, 0, 0}), "3 shares of inputs do not fit 2"},
      {good, with({}, 0, {1, 1, 1}, {}), "3 sizes of activations do not fit 2"},
      {good, with({}, 0, {-4}, {}), "cannot take -4 bytes"},
      {good, with({}, 0, {kInfinity}, {}), "cannot take"},
  };
  for (const Case& bad : cases) {
    const auto result = with_recompute(bad.schedule, bad.options);
    ASSERT_FALSE(result) << bad.what;
    EXPECT_NE(result.error().what.find(bad.what), std::string::npos)
        << result.error().what;
    EXPECT_FALSE(result.error().remedy.empty());
  }
}

TEST(Verify, HoldsWhatIsRecomputedByItsInputAlone) {
  const Schedule schedule = from_rows(3, {"F0 F1 F2 R0 B0 R1 B1 R2 B2 U2"});
  for (const double share : {0.0, 0.25, 1.0}) {
    const double peak = 1 + 2 * share;
    VerifyOptions limits{.memory_limit = {peak}, .input_share = {share}};
    EXPECT_TRUE(verify(schedule, limits).empty()) << share;
    limits.memory_limit = {peak - 0.01};
    EXPECT_TRUE(has(verify(schedule, limits), FaultKind::OverMemory)) << share;
  }
  const auto reason = [&](std::vector<double> shares) {
    const VerifyOptions options{.input_share = std::move(shares)};
    const auto faults = verify(schedule, options);
    return faults.empty() ? "" : faults.front().reason;
  };
  EXPECT_EQ(reason({1.5}), "the input's share of an activation is not within 0 to 1");
  EXPECT_EQ(reason({0, 0}), "there are 2 shares of inputs for 1 stages");
}

}  // namespace
}  // namespace pipeline
