// What must hold of every schedule: of those of the generators, and of valid ones that
// follow no plan at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/lower.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/test_rows.hpp"
#include "schedule/verify.hpp"
#include "timeline/memory.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

using test::Random;
constexpr double kRounding = 1e-9;

// All different; a pair costs more than either of its halves, and less than both.
Costs random_costs(Random& random, const Schedule& schedule) {
  const auto cost = [&random](std::int32_t low) {
    return 0.25 * random.between(low, 16);
  };
  Costs costs;
  costs.stages.clear();
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    StageCosts stage{.forward = cost(1),
                     .input_gradient = cost(1),
                     .weight_gradient = cost(1),
                     .recompute = cost(0),
                     .update = cost(0),
                     .reduce = cost(0)};
    stage.overlapped =
        (stage.forward + stage.backward() + std::max(stage.forward, stage.backward())) /
        2;
    costs.stages.push_back(stage);
  }
  costs.within_node.latency = random.one_in(2) ? 0 : cost(1);
  return costs;
}

// --- Lower bounds, from the actions alone ---

double cost_of(const Action& action, const StageCosts& costs) {
  switch (action.kind) {
    case ActionKind::Forward:
      return costs.forward;
    case ActionKind::Backward:
      return costs.backward();
    case ActionKind::InputGradient:
      return costs.input_gradient;
    case ActionKind::WeightGradient:
      return costs.weight_gradient;
    case ActionKind::Recompute:
      return costs.recompute;
    case ActionKind::Reduce:
      return costs.reduce;
    case ActionKind::Update:
      return costs.update;
    default:
      return 0;
  }
}

// All that a device does, one thing after the other; of a pair the dearer half, or what
// its two stages cost overlapped, where that is less: the mean of both.
double busy_time(const Row& row, const Costs& costs) {
  double busy = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    double cost = cost_of(row[i].action, costs.of(row[i].action.stage));
    for (; row[i].with_next; ++i) {
      const StageCosts& stage = costs.of(row[i].action.stage);
      const Action& next = row[i + 1].action;
      const StageCosts& other = costs.of(next.stage);
      cost = std::min(std::max(cost, cost_of(next, other)),
                      (stage.overlapped + other.overlapped) / 2);
    }
    busy += cost;
  }
  return busy;
}

// Down all stages and back up. Of n slices the first and the last go the whole way one
// behind the other, n-1 stages' work apart at the slowest stage.
double way_of(std::int32_t k, const Schedule& schedule, const Costs& costs) {
  double way = 0;
  double slowest_forward = 0;
  double slowest_backward = 0;
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    const StageCosts& stage = costs.of(s);
    way += stage.forward + (schedule.training ? stage.input_gradient : 0);
    slowest_forward = std::max(slowest_forward, stage.forward);
    slowest_backward = std::max(slowest_backward, stage.input_gradient);
    if (s > 0 && schedule.device_of(s, k) != schedule.device_of(s - 1, k)) {
      way += (schedule.training ? 2 : 1) * costs.within_node.latency;
    }
  }
  const double others = schedule.slices_of(k) - 1;
  return way + others * (slowest_forward + (schedule.training ? slowest_backward : 0));
}

double lower_bound_of(const Schedule& schedule, const Costs& costs) {
  double bound = 0;
  for (const Row& row : schedule.rows) bound = std::max(bound, busy_time(row, costs));
  for (std::int32_t k = 0; k < schedule.total_micro_batches(); ++k) {
    bound = std::max(bound, way_of(k, schedule, costs));
  }
  return bound;
}

// --- What must hold ---

double makespan(const Timeline& timeline) {
  double end = 0;
  for (const auto& row : timeline.spans) {
    for (const Span& span : row) end = std::max(end, span.end);
  }
  return end;
}

std::vector<double> starts_of_computations(const Schedule& schedule,
                                           const Timeline& timeline) {
  std::vector<double> starts;
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      if (is_communication(schedule.rows[d][i].action.kind)) continue;
      starts.push_back(timeline.spans[d][i].start);
    }
  }
  return starts;
}

void expect_sound_times(const Schedule& schedule, const Costs& costs) {
  const auto timeline = simulate(schedule, costs);
  ASSERT_TRUE(timeline) << to_text(schedule) << timeline.error().what;
  EXPECT_GE(makespan(*timeline), lower_bound_of(schedule, costs) - kRounding)
      << to_text(schedule);
  const Schedule lowered = lower(schedule);
  for (const std::int32_t buffers : {0, 1, 2}) {
    EXPECT_EQ(test::reasons(verify(lowered, {{}, buffers})), std::vector<std::string>{})
        << to_text(lowered) << "buffers: " << buffers;
  }
  const auto with_messages = simulate(lowered, costs);
  ASSERT_TRUE(with_messages) << to_text(lowered) << with_messages.error().what;
  EXPECT_EQ(starts_of_computations(schedule, *timeline),
            starts_of_computations(lowered, *with_messages))
      << to_text(schedule);
}

// What `memory` says a device holds is the least limit under which `verify` passes it.
void expect_least_limit(const Schedule& schedule, double freed) {
  const Memory held = memory(schedule, {.freed_by_input_gradient = freed});
  VerifyOptions options{.memory_limit = held.peak, .freed_by_input_gradient = freed};
  EXPECT_EQ(test::reasons(verify(schedule, options)), std::vector<std::string>{})
      << to_text(schedule);
  std::size_t busy = 0;
  for (double& limit : options.memory_limit) {
    busy += limit > 0 ? 1 : 0;
    limit = std::max(limit - 0.001, 0.0);
  }
  EXPECT_EQ(verify(schedule, options).size(), busy) << to_text(schedule);
}

void expect_sound(const Schedule& schedule, Random& random) {
  expect_sound_times(schedule, random_costs(random, schedule));
  expect_least_limit(schedule, 0.25 * random.between(0, 4));
}

TEST(Properties, HoldForEveryGenerator) {
  const bool full = in_full_tier();
  Random random(5);
  for (const Generator& generator : generators()) {
    int accepted = 0;
    for (std::int32_t p = 1; p <= (full ? 8 : 5); ++p) {
      for (std::int32_t m = 1; m <= (full ? 20 : 9); ++m) {
        const auto schedule =
            generator.generate({{p, m, random.between(1, 2), random.one_in(2)}});
        if (!schedule) continue;  // forbidden: the generator's own tests say what is
        ++accepted;
        expect_sound(*schedule, random);
      }
    }
    EXPECT_GT(accepted, 3) << generator.name;
  }
}

TEST(Properties, HoldForSchedulesWithoutAPlan) {
  const bool full = in_full_tier();
  Random random(6);
  for (int round = full ? 50'000 : 800; round > 0; --round) {
    expect_sound(test::random_schedule(random), random);
  }
}

}  // namespace
}  // namespace pipeline
