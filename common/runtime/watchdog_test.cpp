#include "runtime/watchdog.hpp"

#include <gtest/gtest.h>

#include "runtime/small_training.hpp"
#include "schedule/lower.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

class WatchdogTest : public RuntimeTest {
 protected:
  struct Outcome {
    std::string predicted;  ///< what `verify` says
    std::string refused;    ///< what the executor says when it verifies first
    std::string stopped;    ///< what it says when it runs
  };

  Outcome outcome_of(const Schedule& lowered, std::int32_t buffers) {
    Outcome outcome;
    VerifyOptions verify_options;
    verify_options.buffers = buffers;
    for (const Fault& fault : verify(lowered, verify_options)) {
      outcome.predicted = fault.reason;
    }
    const auto platform = platform_of(lowered.devices());
    const Network network = small_network();
    auto placed = *PlacedNetwork::place(
        *platform, network, *even_split(9, lowered.stages()), lowered.placement, 1);
    ExecutorOptions options;
    options.buffers = buffers;
    const auto verified = Executor::make(*placed, lowered, 20, options);
    if (!verified) outcome.refused = verified.error().what;
    options.verify_first = false;
    auto executor = Executor::make(*placed, lowered, 20, options);
    if (!executor) {
      ADD_FAILURE() << executor.error().what;
      return outcome;
    }
    const SmallData data(20);
    for (std::int32_t run = 0; run < 2; ++run) {  // stopping leaves nothing behind
      const auto ran = (*executor)->run(data.batches({20}));
      outcome.stopped = ran ? "" : ran.error().what;
    }
    return outcome;
  }
};

/// Everything between two computations, one by one and sends first: not a group.
Schedule sends_first_and_alone(Schedule lowered) {
  for (Row& row : lowered.rows) {
    for (Entry& entry : row) entry.with_next = false;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const bool receive_then_send = is_communication(row[i].action.kind) &&
                                     is_communication(row[i + 1].action.kind) &&
                                     row[i].action.kind != ActionKind::SendActivation &&
                                     row[i].action.kind != ActionKind::SendGradient;
      if (receive_then_send) std::swap(row[i], row[i + 1]);
    }
  }
  return lowered;
}

TEST_F(WatchdogTest, StopsTwoDevicesThatBothSendFirst) {
  const Schedule schedule = sends_first_and_alone(lower(generated("1f1b", 2, 4, 1)));
  const Outcome outcome = outcome_of(schedule, 0);
  EXPECT_NE(outcome.stopped, "");
  EXPECT_EQ(outcome.stopped, outcome.predicted);
  EXPECT_EQ(outcome.refused, outcome.predicted);
}

TEST_F(WatchdogTest, StopsItAtOtherSizesInTheSameWords) {
  for (const std::int32_t p : {2, 3, 4, 8}) {
    for (const std::int32_t m : {2, 5, 9}) {
      const Schedule schedule =
          sends_first_and_alone(lower(generated("1f1b", p, m, 1)));
      const Outcome outcome = outcome_of(schedule, 0);
      EXPECT_EQ(outcome.stopped, outcome.predicted) << "p=" << p << " m=" << m;
    }
  }
}

TEST_F(WatchdogTest, StopsCopiesThatComeToTheirSumsInAnotherOrder) {
  // A copy on each of two devices, whose rows sum the two stages in opposite order.
  Schedule schedule;
  schedule.name = "opposite sums";
  schedule.placement = {2, {0, 0}, {1, 1}};
  schedule.micro_batches = 2;
  schedule.rows.resize(2);
  for (std::int32_t k = 0; k < 2; ++k) {
    Row& row = schedule.rows[static_cast<std::size_t>(k)];
    for (const std::int32_t s : {0, 1}) row.push_back({{ActionKind::Forward, 0, s, k}});
    for (const std::int32_t s : {1, 0})
      row.push_back({{ActionKind::Backward, 0, s, k}});
    for (const std::int32_t s : {k, 1 - k}) {
      row.push_back({{ActionKind::Reduce, 0, s, k}});
    }
    for (const std::int32_t s : {0, 1}) row.push_back({{ActionKind::Update, 0, s, k}});
  }
  const Outcome outcome = outcome_of(schedule, 1);
  EXPECT_NE(outcome.predicted, "");
  EXPECT_EQ(outcome.refused, outcome.predicted);
  EXPECT_EQ(outcome.stopped,
            "stage 0 waits for the gradients of its other copy; stage 1 waits for the "
            "gradients of its other copy");
}

TEST_F(WatchdogTest, LetsTheSameRowsRunWhenALinkHoldsAMessage) {
  const Schedule schedule = sends_first_and_alone(lower(generated("1f1b", 2, 4, 1)));
  const Outcome outcome = outcome_of(schedule, 1);
  EXPECT_EQ(outcome.predicted, "");
  EXPECT_EQ(outcome.stopped, "");
}

TEST_F(WatchdogTest, StopsADeviceThatWaitsForItsGradientBeforeItSends) {
  Schedule schedule = lower(generated("1f1b", 2, 2, 1));
  // Stage 0: F0, F1 without a send, and the gradient of 0 first.
  Row& row = schedule.rows[0];
  Row late;
  Row sends;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::SendActivation) {
      sends.push_back({entry.action, false});
    } else {
      late.push_back({entry.action, false});
    }
  }
  late.insert(late.end() - 1, sends.begin(), sends.end());
  row = late;
  for (const std::int32_t buffers : {0, 2}) {
    const Outcome outcome = outcome_of(schedule, buffers);
    EXPECT_EQ(outcome.stopped,
              "stage 0 waits for gradient 0 from 1; 1 waits for activation 0 from 0");
    EXPECT_EQ(outcome.stopped, outcome.predicted);
    EXPECT_EQ(outcome.refused, outcome.predicted);
  }
}

TEST_F(WatchdogTest, StopsTwoDevicesWhenAThirdHasLongBeenDone) {
  // Stages 1 and 3 are on device 1, which waits for stage 2 before it sends to it.
  Schedule schedule;
  schedule.name = "forward";
  schedule.placement = {3, {0, 1, 2, 1}};
  schedule.micro_batches = 1;
  schedule.training = false;
  schedule.rows = {
      {{{ActionKind::Forward, 0, 0, 0}}, {{ActionKind::SendActivation, 0, 0, 0}}},
      {{{ActionKind::ReceiveActivation, 0, 1, 0}},
       {{ActionKind::Forward, 0, 1, 0}},
       {{ActionKind::ReceiveActivation, 0, 3, 0}},
       {{ActionKind::SendActivation, 0, 1, 0}},
       {{ActionKind::Forward, 0, 3, 0}}},
      {{{ActionKind::ReceiveActivation, 0, 2, 0}},
       {{ActionKind::Forward, 0, 2, 0}},
       {{ActionKind::SendActivation, 0, 2, 0}}}};
  const Outcome outcome = outcome_of(schedule, 2);
  EXPECT_NE(outcome.stopped, "");
  EXPECT_EQ(outcome.stopped, outcome.predicted);
}

TEST_F(WatchdogTest, LeavesNetworkAndPlatformUsable) {
  const auto platform = platform_of(2);
  const Network network = small_network();
  const Schedule good = generated("1f1b", 2, 4, 1);
  const Schedule bad = sends_first_and_alone(lower(good));
  const SmallData data(20);
  ExecutorOptions options;
  options.buffers = 0;
  options.verify_first = false;
  const auto digest_after = [&](bool hangs_first) {
    auto placed =
        *PlacedNetwork::place(*platform, network, *even_split(9, 2), good.placement, 1);
    if (hangs_first) {
      auto hanging = *Executor::make(*placed, bad, 20, options);
      EXPECT_FALSE(hanging->run(data.batches({20})));
    }
    auto executor = *Executor::make(*placed, good, 20, options);
    EXPECT_TRUE(executor->run(data.batches({20})));
    return placed->digest();
  };
  EXPECT_EQ(digest_after(true), digest_after(false));
}

}  // namespace
}  // namespace pipeline
