#include "data/loop_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "data/bounded_queue.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

using Runner = Expected<Timeline> (*)(std::span<const LoopStage>, LoopShape);

struct Way {
  const char* name;
  Runner run;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class EveryLoop : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const std::vector<LoopStage> one = {
        {"idle", [](Token) { return Expected<void>(); }}};
    const auto ran = GetParam().run(one, {1, 1});
    if (!ran && ran.error().kind == ErrorKind::Absent) {
      GTEST_SKIP() << "not run: " << ran.error().what;
    }
    ASSERT_TRUE(ran) << ran.error().what;
  }
  static Expected<Timeline> run(std::span<const LoopStage> stages, LoopShape shape) {
    return GetParam().run(stages, shape);
  }
};

INSTANTIATE_TEST_SUITE_P(AllWays, EveryLoop,
                         testing::Values(Way{"OneAfterAnother", run_one_after_another},
                                         Way{"OurThreads", run_loop_pipeline},
                                         Way{"OneTbb", run_loop_on_tbb}),
                         [](const auto& test) { return test.param.name; });

/// Stages that write down which items they saw, and pass a number on in its slot.
struct Watched {
  explicit Watched(std::int32_t stages, LoopShape shape)
      : seen(static_cast<std::size_t>(stages)),
        slots(static_cast<std::size_t>(shape.tokens)) {
    for (std::int32_t s = 0; s < stages; ++s) {
      work.push_back({"stage " + std::to_string(s), [this, s, stages](Token token) {
                        return visit(s, s + 1 == stages, token);
                      }});
    }
  }

  Expected<void> visit(std::int32_t s, bool last, Token token) {
    auto& slot = slots[static_cast<std::size_t>(token.slot)];
    if (s == 0) {
      const std::int32_t now = ++in_flight;
      most_in_flight = std::max(most_in_flight, now);
      slot = 1000 * token.item;
    }
    slot += 1;
    seen[static_cast<std::size_t>(s)].push_back(token.item);
    if (token.item == fails_at && s == fails_in) return refuse("it broke", "mend it");
    if (last) {
      results.push_back(slot);
      --in_flight;
    }
    return {};
  }

  std::vector<LoopStage> work;
  std::vector<std::vector<std::int32_t>> seen;  // by stage
  std::vector<std::int32_t> slots;
  std::vector<std::int32_t> results;
  std::atomic<std::int32_t> in_flight = 0;
  std::int32_t most_in_flight = 0;  // of the first stage alone
  std::int32_t fails_at = -1;
  std::int32_t fails_in = -1;
};

std::vector<std::int32_t> first(std::int32_t count) {
  std::vector<std::int32_t> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

TEST_P(EveryLoop, TakesEachItemThroughEachStageInOrder) {
  for (const std::int32_t stages : {1, 2, 3, 5}) {
    for (const std::int32_t tokens : {1, 2, 4, 40}) {
      Watched loop(stages, {25, tokens});
      const auto ran = run(loop.work, {25, tokens});
      ASSERT_TRUE(ran) << ran.error().what;
      for (const auto& items : loop.seen) EXPECT_EQ(items, first(25));
      ASSERT_EQ(loop.results.size(), 25U);
      for (std::int32_t k = 0; k < 25; ++k) {
        EXPECT_EQ(loop.results[static_cast<std::size_t>(k)], 1000 * k + stages);
      }
      EXPECT_LE(loop.most_in_flight, tokens);
    }
  }
}

TEST_P(EveryLoop, GivesSpansThatKeepTheOrder) {
  Watched loop(3, {12, 4});
  const auto timeline = run(loop.work, {12, 4});
  ASSERT_TRUE(timeline);
  EXPECT_TRUE(belongs_to(*timeline, *forward_only({3, 12})));
  EXPECT_EQ(timeline->level, Level::HostThreads);
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t k = 0; k < 12; ++k) {
      const Span span = timeline->spans[s][k];
      EXPECT_LE(span.start, span.end);
      const double free = k > 0 ? timeline->spans[s][k - 1].end : 0;
      const double there = s > 0 ? timeline->spans[s - 1][k].end : 0;
      const double token = s == 0 && k >= 4 ? timeline->spans[2][k - 4].end : 0;
      EXPECT_GE(span.start, std::max({free, there, token}));
    }
  }
}

TEST_P(EveryLoop, FinishesTheItemsBeforeTheOneThatFailed) {
  for (const std::int32_t stage : {0, 1, 2}) {
    Watched loop(3, {50, 3});
    loop.fails_at = 7;
    loop.fails_in = stage;
    const auto ran = run(loop.work, {50, 3});
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().what, "it broke");
    EXPECT_EQ(loop.results.size(), 7U);
    EXPECT_EQ(loop.seen[static_cast<std::size_t>(stage)], first(8));
    EXPECT_LE(loop.seen[0].size(), 7U + 3U);  // nothing entered after that
  }
}

TEST_P(EveryLoop, RefusesNothingToDo) {
  Watched loop(2, {1, 1});
  EXPECT_EQ(run(loop.work, {0, 1}).error().what,
            "a loop of 2 stages, 0 items and 1 tokens cannot run");
  EXPECT_FALSE(run(loop.work, {1, 0}));
  EXPECT_FALSE(run({}, {1, 1}));
}

/// Whether some item is read while another is filtered: the second stage lets none
/// through before the first has seen the next.
TEST(LoopPipeline, RunsStagesBesideEachOther) {
  for (const Runner runner : {run_loop_pipeline, run_loop_on_tbb}) {
    std::atomic<std::int32_t> read = 0;
    bool overlapped = true;
    const std::vector<LoopStage> stages = {
        {"read",
         [&](Token) {
           ++read;
           return Expected<void>();
         }},
        {"filter", [&](Token token) {
           const auto until =
               std::chrono::steady_clock::now() + std::chrono::seconds(20);
           while (read.load() < std::min(token.item + 2, 9) && overlapped) {
             overlapped = std::chrono::steady_clock::now() < until;
             std::this_thread::yield();
           }
           return Expected<void>();
         }}};
    const auto ran = runner(stages, {9, 2});
    if (!ran && ran.error().kind == ErrorKind::Absent) continue;
    ASSERT_TRUE(ran);
    EXPECT_TRUE(overlapped);
  }
}

std::vector<std::vector<double>> constant(const std::vector<double>& stages,
                                          std::size_t items) {
  std::vector<std::vector<double>> seconds;
  seconds.reserve(stages.size());
  for (const double t : stages) seconds.emplace_back(items, t);
  return seconds;
}

double end_of(const Timeline& timeline) { return timeline.spans.back().back().end; }

TEST(SimulateLoop, IsAForwardPipelineWhileThereAreTokens) {
  for (const std::size_t items : {1U, 2U, 7U}) {
    const std::vector<double> t = {2, 5, 3, 0.5};
    const auto loop =
        simulate_loop(constant(t, items), static_cast<std::int32_t>(items));
    const auto schedule = forward_only({4, static_cast<std::int32_t>(items)});
    Costs costs;
    costs.stages.assign(4, {});
    for (std::size_t s = 0; s < 4; ++s) costs.stages[s].forward = t[s];
    const auto pipeline = simulate(*schedule, costs);
    ASSERT_TRUE(pipeline);
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t k = 0; k < items; ++k) {
        EXPECT_EQ(loop.spans[s][k].start, pipeline->spans[s][k].start);
        EXPECT_EQ(loop.spans[s][k].end, pipeline->spans[s][k].end);
      }
    }
    EXPECT_EQ(end_of(loop), 10.5 + 5 * (static_cast<double>(items) - 1));
  }
}

TEST(SimulateLoop, WithOneTokenIsTheLoopAsItIsWritten) {
  const auto loop = simulate_loop({{1, 2, 3}, {4, 1, 2}}, 1);
  EXPECT_EQ(end_of(loop), 13);
  EXPECT_EQ(loop.spans[0][1].start, 5);
}

TEST(LoopInterval, IsThatOfALongSimulatedLoop) {
  for (const auto& t : std::vector<std::vector<double>>{
           {2, 4, 3}, {1, 1, 1, 1}, {8}, {1, 16, 1}, {5, 2, 1, 7, 3}}) {
    for (std::int32_t tokens = 1; tokens <= 8; ++tokens) {
      // In steady state every `tokens` items.
      const auto loop = simulate_loop(constant(t, 400), tokens);
      const std::size_t later = 399;
      const auto earlier = later - 40 * static_cast<std::size_t>(tokens);
      const double interval =
          (loop.spans.back()[later].end - loop.spans.back()[earlier].end) /
          (40.0 * tokens);
      EXPECT_DOUBLE_EQ(interval, loop_interval(t, tokens)) << tokens << " tokens";
    }
  }
}

TEST(BoundedQueue, KeepsTheOrderAndEndsWhenItIsClosedAndEmpty) {
  BoundedQueue<int> queue(3);
  for (const int value : {5, 4, 9}) queue.push(value);
  queue.close();
  EXPECT_EQ(queue.pop(), 5);
  EXPECT_EQ(queue.pop(), 4);
  EXPECT_EQ(queue.pop(), 9);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, HoldsNoMoreThanItsCapacity) {
  BoundedQueue<int> queue(2);
  std::atomic<int> pushed = 0;
  std::thread producer([&] {
    for (int i = 0; i < 200; ++i) {
      queue.push(i);
      ++pushed;
    }
    queue.close();
  });
  int taken = 0;
  while (const auto value = queue.pop()) {
    EXPECT_EQ(*value, taken++);
    EXPECT_LE(pushed.load(), taken + 2);
  }
  producer.join();
  EXPECT_EQ(taken, 200);
}

}  // namespace
}  // namespace pipeline
