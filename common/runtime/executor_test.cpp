#include "runtime/executor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "runtime/small_training.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/lower.hpp"
#include "schedule/verify.hpp"
#include "timeline/metrics.hpp"

namespace pipeline {
namespace {

/// The long tier sweeps everything; the short one what differs in kind.
class ExecutorTest : public RuntimeTest {
 protected:
  /// What one device gets by accumulation.
  Trained reference(std::int32_t micro_batches) {
    return train_small(*platform_of(1), generated("gpipe", 1, micro_batches));
  }
};

TEST_F(ExecutorTest, TrainsTheSameWeightsOnEverySchedule) {
  const std::vector<std::int32_t> micro_batches =
      in_full_tier() ? std::vector<std::int32_t>{1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17}
                     : std::vector<std::int32_t>{1, 2, 5, 16, 17};
  const std::vector<std::int32_t> devices =
      in_full_tier() ? std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}
                     : std::vector<std::int32_t>{1, 2, 3, 4, 8};
  for (const std::int32_t m : micro_batches) {
    const Trained expected = reference(m);
    for (const std::int32_t p : devices) {
      const auto platform = platform_of(p);
      for (const auto* name : {"model-parallel", "gpipe", "1f1b"}) {
        for (const std::int32_t buffers : {0, 1, 2}) {
          ExecutorOptions options;
          options.buffers = buffers;
          const Trained trained =
              train_small(*platform, generated(name, p, m), options);
          ASSERT_EQ(trained.digest, expected.digest)
              << name << " p=" << p << " m=" << m << " buffers=" << buffers;
          ASSERT_EQ(trained.result.step_loss, expected.result.step_loss);
          ASSERT_EQ(trained.result.correct, expected.result.correct);
        }
      }
    }
  }
}

TEST_F(ExecutorTest, TrainsOtherWeightsFromAnotherNumberOfMicroBatches) {
  // The digests above compare something: another order of sums gives other bits ...
  const Trained whole = reference(1);
  const Trained parts = reference(5);
  EXPECT_NE(whole.digest, parts.digest);
  // ... and the same weights within rounding.
  ASSERT_EQ(whole.weights.size(), parts.weights.size());
  for (std::size_t i = 0; i < whole.weights.size(); ++i) {
    EXPECT_NEAR(whole.weights[i], parts.weights[i], 1e-5);
  }
  for (std::size_t step = 0; step < whole.result.step_loss.size(); ++step) {
    EXPECT_NEAR(whole.result.step_loss[step], parts.result.step_loss[step], 1e-5);
  }
}

TEST_F(ExecutorTest, HoldsAsManyMicroBatchesAsPredicted) {
  for (const std::int32_t p : {1, 2, 4}) {
    const auto platform = platform_of(p);
    for (const std::int32_t m : {1, 3, 8}) {
      const auto f1b1 = train_small(*platform, generated("1f1b", p, m)).result;
      const auto gpipe_run = train_small(*platform, generated("gpipe", p, m)).result;
      const auto forward = train_small(*platform, generated("forward", p, m)).result;
      for (std::int32_t s = 0; s < p; ++s) {
        const auto d = static_cast<std::size_t>(s);
        EXPECT_EQ(f1b1.peak_live[d], std::min(p - s, m));
        EXPECT_EQ(gpipe_run.peak_live[d], m);
        EXPECT_EQ(forward.peak_live[d], 1);
      }
      EXPECT_EQ(f1b1.peak_live, memory(generated("1f1b", p, m)).peak_chunks);
    }
  }
}

TEST_F(ExecutorTest, HoldsAsManyBytesAsPlanned) {
  const auto platform = platform_of(3);
  const Network network = small_network();
  const Schedule schedule = generated("1f1b", 3, 7);
  auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, 3),
                                      schedule.placement, 1);
  auto executor = *Executor::make(*placed, schedule, 23);
  const SmallData data(69);
  for (std::int32_t run = 0; run < 2; ++run) {
    ASSERT_TRUE(executor->run(data.batches(small_steps())));
    for (std::int32_t d = 0; d < 3; ++d) {
      const std::size_t scratch = placed->on(d).workspace->scratch_bytes();
      EXPECT_EQ(platform->device(d).meter().peak_bytes,
                placed->bytes_on(d) + executor->planned_bytes(d) + scratch);
    }
  }
  // By hand, of the middle stage (gelu 7, linear 7 -> 10, relu 10; at most 4 rows): 3
  // inputs of 28 floats (padded to 32), 2 slots of 28 and 40 (to 48), 3 outputs of 40,
  // 2 output gradients, 1 pair of inner gradients of 28 and 40, 3 input gradients of
  // 28, and for each layer a mark where it is not finite.
  EXPECT_EQ(executor->planned_bytes(1),
            4U * (3 * 32 + 2 * (32 + 48) + 3 * 48 + 2 * 48 + (32 + 48) + 3 * 32 + 3));
}

TEST_F(ExecutorTest, GivesItsMemoryBack) {
  const auto platform = platform_of(2);
  train_small(*platform, generated("1f1b", 2, 4));
  EXPECT_EQ(platform->device(0).meter().live_bytes, 0U);
  EXPECT_EQ(platform->device(1).meter().live_bytes, 0U);
}

TEST_F(ExecutorTest, LearnsWhenItRunsAgainAndAgain) {
  const auto platform = platform_of(2);
  const Network network = small_network();
  const Schedule schedule = generated("1f1b", 2, 4);
  auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, 2),
                                      schedule.placement, 1);
  auto executor = *Executor::make(*placed, schedule, 60);
  const SmallData data(180);
  std::vector<double> losses;
  for (std::int32_t epoch = 0; epoch < 60; ++epoch) {
    ASSERT_TRUE(executor->run(data.batches({60, 60, 60})));
    losses.push_back(executor->result().step_loss[0]);
  }
  EXPECT_NEAR(losses.front(), std::log(4.0), 0.5);
  EXPECT_LT(losses.back(), 0.5 * losses.front());
  EXPECT_EQ(executor->result().rows, 180);
  EXPECT_GT(executor->result().correct, 140);
}

TEST_F(ExecutorTest, RunsStepsInOneGoAsItRunsThemOneByOne) {
  const auto platform = platform_of(3);
  const Network network = small_network();
  const Trained together = train_small(*platform, generated("1f1b", 3, 5, 3));
  const Schedule one = generated("1f1b", 3, 5, 1);
  auto placed =
      *PlacedNetwork::place(*platform, network, *even_split(9, 3), one.placement, 3);
  auto executor = *Executor::make(*placed, one, 23);
  const SmallData data(69);
  for (const Batch& batch : data.batches(small_steps())) {
    ASSERT_TRUE(executor->run(std::span(&batch, 1)));
  }
  EXPECT_EQ(placed->digest(), together.digest);
}

TEST_F(ExecutorTest, EvaluatesBetweenTwoStepsWithoutATrace) {
  const auto platform = platform_of(2);
  const Network network = small_network();
  const Schedule train = generated("gpipe", 2, 4, 1);
  const SmallData data(69);
  const auto batches = data.batches(small_steps());
  const auto run = [&](bool evaluates) {
    auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, 2),
                                        train.placement, 3);
    auto trainer = *Executor::make(*placed, train, 23);
    auto evaluator = *Executor::make(*placed, generated("forward", 2, 3, 2), 23);
    for (const Batch& batch : batches) {
      EXPECT_TRUE(trainer->run(std::span(&batch, 1)));
      if (evaluates) {
        EXPECT_TRUE(evaluator->run(std::span(batches).first(2)));
      }
    }
    return placed->digest();
  };
  EXPECT_EQ(run(true), run(false));
}

TEST_F(ExecutorTest, EvaluatesToTheLossThatTrainingStartsFrom) {
  const auto platform = platform_of(2);
  const Trained forward = train_small(*platform, generated("forward", 2, 4));
  const Trained training = train_small(*platform, generated("gpipe", 2, 4));
  EXPECT_EQ(forward.result.step_loss[0], training.result.step_loss[0]);
  EXPECT_NE(forward.result.step_loss[1], training.result.step_loss[1]);
}

// --- Rows that no generator makes yet

TEST_F(ExecutorTest, RunsInputAndWeightGradientsApart) {
  const Trained expected = reference(5);
  Schedule schedule = generated("1f1b", 3, 5);
  for (Row& row : schedule.rows) {
    Row split;
    std::vector<Action> later;  // weight gradients, put off to the end of the step
    for (const Entry& entry : row) {
      Action action = entry.action;
      if (action.kind == ActionKind::Update) {
        for (const Action& w : later) split.push_back({w});
        later.clear();
      }
      if (action.kind == ActionKind::Backward) {
        action.kind = ActionKind::InputGradient;
        later.push_back(
            {ActionKind::WeightGradient, 0, action.stage, action.micro_batch});
      }
      split.push_back({action, entry.with_next});
    }
    row = split;
  }
  const Trained trained = train_small(*platform_of(3), schedule);
  EXPECT_EQ(trained.digest, expected.digest);
  EXPECT_EQ(trained.result.peak_live, (std::vector<std::int32_t>{5, 5, 5}));
}

/// GPipe's order with any placement: all forwards, then all backwards.
Schedule gpipe_on(const Placement& placement, std::int32_t micro_batches) {
  Schedule schedule;
  schedule.name = "gpipe";
  schedule.placement = placement;
  schedule.micro_batches = micro_batches;
  schedule.rows.resize(static_cast<std::size_t>(placement.devices));
  const auto add = [&](ActionKind kind, std::int32_t s, std::int32_t k) {
    schedule.rows[static_cast<std::size_t>(placement.device_of(s))].push_back(
        {{kind, 0, s, k}});
  };
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t s = 0; s < placement.stages(); ++s) {
      add(ActionKind::Forward, s, k);
    }
  }
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t s = placement.stages(); s-- > 0;) {
      add(ActionKind::Backward, s, k);
    }
  }
  for (std::int32_t s = 0; s < placement.stages(); ++s) {
    add(ActionKind::Update, s, micro_batches - 1);
  }
  return schedule;
}

TEST_F(ExecutorTest, RunsSeveralStagesOnADevice) {
  const Trained expected =
      train_small(*platform_of(1), generated("gpipe", 1, 5, 1), {}, {23});
  const std::vector<Placement> placements = {
      {2, {0, 1, 0, 1}},  // interleaved
      {2, {0, 1, 1, 0}},  // a V: stages 1 and 2 pass their data in memory
      {1, {0, 0, 0}},
      {3, {2, 0, 1, 1, 0}},
  };
  for (const Placement& placement : placements) {
    const auto platform = platform_of(placement.devices);
    const Trained trained = train_small(*platform, gpipe_on(placement, 5), {}, {23});
    EXPECT_EQ(trained.digest, expected.digest);
    EXPECT_EQ(trained.result.peak_live, memory(gpipe_on(placement, 5)).peak_chunks);
  }
}

// --- What is measured

TEST_F(ExecutorTest, MeasuresEveryEntryInTheOrderOfItsRow) {
  const auto platform = platform_of(3);
  for (const bool lowered : {false, true}) {
    Schedule schedule = generated("1f1b", 3, 5);
    if (lowered) schedule = lower(schedule);
    const Timeline timeline = train_small(*platform, schedule).result.timeline;
    EXPECT_EQ(timeline.level, platform->level());
    ASSERT_EQ(timeline.spans.size(), 3U);
    double earliest = 1e9;
    for (std::size_t d = 0; d < 3; ++d) {
      ASSERT_EQ(timeline.spans[d].size(), schedule.rows[d].size());
      double last_end = 0;
      for (std::size_t i = 0; i < timeline.spans[d].size(); ++i) {
        const Span& span = timeline.spans[d][i];
        earliest = std::min(earliest, span.start);
        EXPECT_GE(span.length(), 0);
        if (is_communication(schedule.rows[d][i].action.kind)) continue;
        EXPECT_GE(span.start, last_end);
        last_end = span.end;
      }
    }
    EXPECT_EQ(earliest, 0);
  }
}

TEST_F(ExecutorTest, MeasuresJoinedComputationsAsOne) {
  Schedule schedule = generated("1f1b", 2, 4, 1);
  Row& row = schedule.rows[0];  // F0 F1 B0 F2 B1 F3 B2 B3
  row[2].with_next = true;
  row[4].with_next = true;
  const Trained trained = train_small(*platform_of(2), schedule, {}, {23});
  EXPECT_EQ(trained.digest,
            train_small(*platform_of(1), generated("gpipe", 1, 4, 1), {}, {23}).digest);
  const auto& spans = trained.result.timeline.spans[0];
  for (const std::size_t first : {2, 4}) {
    EXPECT_EQ(spans[first].start, spans[first + 1].start);
    EXPECT_EQ(spans[first].end, spans[first + 1].end);
    EXPECT_GE(spans[first].start, spans[first - 1].end);
    EXPECT_GE(spans[first + 2].start, spans[first].end);
  }
}

TEST_F(ExecutorTest, MeasuresEachMessageBetweenItsMakingAndItsUse) {
  const auto platform = platform_of(2);
  if (platform->level() == Level::Gpus) GTEST_SKIP() << "two clocks: not exact";
  const Schedule schedule = generated("gpipe", 2, 3, 1);
  const Timeline timeline = train_small(*platform, schedule, {}, {23}).result.timeline;
  ASSERT_EQ(timeline.transfers.size(), 6U);
  const auto span_of = [&](ActionKind kind, std::int32_t stage, std::int32_t k) {
    const Row& row = schedule.rows[static_cast<std::size_t>(stage)];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].action == Action{kind, 0, stage, k}) {
        return timeline.spans[static_cast<std::size_t>(stage)][i];
      }
    }
    ADD_FAILURE() << "not in the row";
    return Span{};
  };
  for (const Transfer& transfer : timeline.transfers) {
    const ActionKind kind = transfer.kind == ActionKind::SendActivation
                                ? ActionKind::Forward
                                : ActionKind::Backward;
    EXPECT_GE(transfer.span.start,
              span_of(kind, transfer.from_stage, transfer.micro_batch).end);
    EXPECT_LE(transfer.span.end,
              span_of(kind, transfer.to_stage, transfer.micro_batch).start);
  }
}

// --- What is refused

class Refusal : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    if (IsSkipped()) return;
    platform_ = platform_of(2);
    placed_ = *PlacedNetwork::place(*platform_, network_, *even_split(9, 2),
                                    one_stage_per_device(2), 1);
  }
  std::string refusal_of(const Schedule& schedule, std::int32_t rows = 23,
                         const ExecutorOptions& options = {}) {
    const auto executor = Executor::make(*placed_, schedule, rows, options);
    return executor ? "" : executor.error().what;
  }
  Network network_ = small_network();
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<PlacedNetwork> placed_;
};

TEST_F(Refusal, NamesWhatIsWrong) {
  EXPECT_EQ(refusal_of(generated("gpipe", 2, 4)), "");
  EXPECT_EQ(refusal_of(generated("gpipe", 1, 4)),
            "the schedule places its stages otherwise than the network");
  EXPECT_EQ(refusal_of(generated("gpipe", 2, 24)),
            "a batch of 23 rows has too few for 24 micro-batches");
  EXPECT_EQ(refusal_of(generated("gpipe", 2, 4), 1'000'000'000),
            "3 steps of 1000000000 rows are too many for one run");
  ExecutorOptions options;
  options.buffers = -1;
  EXPECT_EQ(refusal_of(generated("gpipe", 2, 4), 23, options),
            "a link cannot hold -1 messages");
}

TEST_F(Refusal, OfASchedulesFaultsIsInTheWordsOfVerify) {
  Schedule schedule = generated("gpipe", 2, 4);
  schedule.rows[1].pop_back();
  const auto faults = verify(lower(schedule));
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(refusal_of(schedule), faults.front().reason);
}

TEST_F(Refusal, OfBatchesLeavesTheExecutorUsable) {
  const Schedule schedule = generated("gpipe", 2, 4, 2);
  auto executor = *Executor::make(*placed_, schedule, 20);
  const SmallData data(60);
  EXPECT_EQ(executor->run(data.batches({20})).error().what,
            "the schedule has 2 steps, and got 1 batches");
  EXPECT_EQ(executor->run(data.batches({20, 3})).error().what,
            "a batch of 3 rows has too few for 4 micro-batches");
  EXPECT_EQ(executor->run(data.batches({21, 20})).error().what,
            "a batch of 21 rows is larger than the 20 that the executor was made for");
  EXPECT_TRUE(executor->run(data.batches({20, 4})));
  EXPECT_EQ(executor->result().rows, 24);
}

}  // namespace
}  // namespace pipeline
