#include "schedule/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "schedule/bounds.hpp"
#include "schedule/generate.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::forwards_from_rows;
using test::from_rows;
using test::has;
using test::reasons;
using Texts = std::vector<std::string>;

// The one fault that a schedule must have.
void expect_fault(const Schedule& schedule, FaultKind kind, const std::string& reason,
                  const VerifyOptions& options = {}) {
  ASSERT_GT(schedule.devices(), 0);
  const auto faults = verify(schedule, options);
  EXPECT_EQ(reasons(faults), Texts{reason});
  EXPECT_TRUE(has(faults, kind));
}

TEST(Verify, AcceptsEveryGenerator) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 12; ++p) {
      for (std::int32_t m = 1; m <= 12; ++m) {
        for (const std::int32_t steps : {1, 3}) {
          const auto schedule = generator.generate({{p, m, steps}});
          if (!schedule) continue;  // forbidden: see generate_test.cpp
          EXPECT_EQ(reasons(verify(*schedule)), Texts{});
        }
      }
    }
  }
}

TEST(Verify, AcceptsHalvesRecomputationAndOverlappedPairs) {
  EXPECT_EQ(reasons(verify(
                from_rows(2, {"F0 F1 R0 I0 I1 W1 W0 U1", "F0 I0 F1+W0 R1 B1 U1"}))),
            Texts{});
}

TEST(Verify, AcceptsSeveralStagesOnADevice) {
  EXPECT_EQ(reasons(verify(from_rows(2,
                                     {"0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1 0U1 2U1",
                                      "1F0 1F1 3F0 3F1 3B0 3B1 1B0 1B1 1U1 3U1"},
                                     {0, 1, 0, 1}))),
            Texts{});
}

TEST(Verify, AcceptsADeviceWithoutAStage) {
  EXPECT_EQ(reasons(verify(from_rows(1, {"F0 B0 U0", ""}, {0}))), Texts{});
}

TEST(Verify, FindsWhatIsMissing) {
  expect_fault(from_rows(2, {"F0 B0 B1 U1", "F0 F1 B0 B1 U1"}), FaultKind::Missing,
               "F1 of stage 0 is in no row");
  expect_fault(from_rows(2, {"F0 F1 B0 B1 U1", "F0 F1 B0 U1"}), FaultKind::Missing,
               "B1 of stage 1 is in no row");
  expect_fault(from_rows(1, {"F0 I0 U0"}), FaultKind::Missing,
               "W0 of stage 0 is in no row");
  expect_fault(from_rows(1, {"F0 W0 U0"}), FaultKind::Missing,
               "I0 of stage 0 is in no row");
  expect_fault(from_rows(2, {"F0 F1 B0 B1"}), FaultKind::Missing,
               "U1 of stage 0 is in no row");
  EXPECT_EQ(verify(from_rows(3, {"", ""})).size(), 14U);
}

TEST(Verify, FindsWhatIsThereTwice) {
  expect_fault(from_rows(1, {"F0 F0 B0 U0"}), FaultKind::Twice,
               "F0 of stage 0 stands more than once, again in the row of device 0");
  expect_fault(from_rows(1, {"F0 B0 U0 U0"}), FaultKind::Twice,
               "U0 of stage 0 stands more than once, again in the row of device 0");
  expect_fault(from_rows(1, {"F0 I0 W0 B0 U0"}), FaultKind::Twice,
               "B0 of stage 0 stands there whole, and in halves (I, W) as well");
}

TEST(Verify, FindsWhatIsOnTheWrongDevice) {
  expect_fault(
      from_rows(1, {"F0 1B0 B0 U0", "F0 U0"}), FaultKind::WrongDevice,
      "B0 of stage 1 is in the row of device 0, but device 1 holds that stage");
}

TEST(Verify, FindsWhatTheScheduleDoesNotHave) {
  const auto expect_malformed = [](const std::string& extra, const std::string& why) {
    SCOPED_TRACE(extra);
    expect_fault(from_rows(2, {"F0 F1 B0 B1 U1 " + extra, "F0 F1 B0 B1 U1"}),
                 FaultKind::Malformed, "the row of device 0 holds " + why);
  };
  expect_malformed("2F0", "F0 of stage 2: stages run from 0 to 1");
  expect_malformed("-1F0", "F0 of stage -1: stages run from 0 to 1");
  expect_malformed("F2", "F2 of stage 0: micro-batches run from 0 to 1");
  expect_malformed("B-1", "B-1 of stage 0: micro-batches run from 0 to 1");
  expect_malformed("F2147483647",
                   "F2147483647 of stage 0: micro-batches run from 0 to 1");
  expect_malformed("F0.1",
                   "F0.1 of stage 0: its micro-batches are not cut into slices");
  expect_malformed("U0",
                   "U0 of stage 0: an update carries the last micro-batch of its step");
  expect_malformed(
      "AR1",
      "AR1 of stage 0: there is one copy of the weights, and so no sum over "
      "copies");
  Schedule strange = from_rows(1, {"F0 B0 U0"});
  strange.rows[0].push_back({{static_cast<ActionKind>(200), 0, 0, 0}});
  expect_fault(strange, FaultKind::Malformed,
               "the row of device 0 holds ?0 of stage 0: there is no such kind of "
               "action");
  Schedule dangling = from_rows(1, {"F0 B0 U0"});
  dangling.rows[0].back().with_next = true;
  expect_fault(
      dangling, FaultKind::Malformed,
      "the last entry in the row of device 0 is joined with a next one that is "
      "not there");
}

TEST(Verify, FindsBackwardsWhereOnlyForwardsRun) {
  for (const std::string extra : {"B0", "I0", "W0", "R0", "U0"}) {
    expect_fault(forwards_from_rows(1, {"F0 " + extra}), FaultKind::Malformed,
                 "the row of device 0 holds " + extra +
                     " of stage 0: the schedule runs forwards only");
  }
  expect_fault(forwards_from_rows(1, {"F0 SA0", "RA0 F0 SG0"}), FaultKind::Malformed,
               "the row of device 1 holds SG0 of stage 1: the schedule runs forwards "
               "only");
}

TEST(Verify, FindsShapesThatNoTableCanBeMadeFor) {
  Schedule schedule = from_rows(1, {"F0 B0 U0", "F0 B0 U0"});
  Schedule broken = schedule;
  broken.rows.pop_back();
  expect_fault(broken, FaultKind::Malformed, "there are 1 rows for 2 devices");
  broken = schedule;
  broken.placement.device_of_stage[1] = 2;
  expect_fault(broken, FaultKind::Malformed,
               "stage 1 is placed on device 2, but devices run from 0 to 1");
  broken = schedule;
  broken.micro_batches = 0;
  expect_fault(broken, FaultKind::Malformed,
               "micro-batches must be at least 1, but 0 was asked for");
  broken = schedule;
  broken.micro_batches = broken.steps = 50'000'000;
  expect_fault(
      broken, FaultKind::Malformed,
      "2 stages times 50000000 micro-batches times 50000000 steps is more than "
      "67108864 actions");
  EXPECT_EQ(reasons(verify(Schedule{})),
            (Texts{"devices must be at least 1, but 0 was asked for",
                   "stages must be at least 1, but 0 was asked for",
                   "micro-batches must be at least 1, but 0 was asked for"}));
}

TEST(Verify, FindsOptionsThatMakeNoSense) {
  const Schedule schedule = from_rows(1, {"F0 B0 U0", "F0 B0 U0"});
  expect_fault(schedule, FaultKind::Malformed,
               "there are 3 memory limits for 2 devices", {{1, 1, 1}, 0});
  expect_fault(schedule, FaultKind::Malformed,
               "a memory limit is not a number from 0 up", {{-1}, 0});
  expect_fault(schedule, FaultKind::Malformed,
               "a memory limit is not a number from 0 up", {{std::nan("")}, 0});
  expect_fault(schedule, FaultKind::Malformed, "links cannot have -1 buffers",
               {{}, -1});
}

TEST(Verify, PrintsTheCircleOfActionsOutOfOrder) {
  expect_fault(
      from_rows(1, {"B0 F0 U0"}), FaultKind::OutOfOrder,
      "device 0 is at B0 of stage 0, which waits for F0 of stage 0 in the same "
      "row, which does not come before it");
  expect_fault(
      from_rows(2, {"F0 B0 F1 B1 U1", "F0 F1 B0 B1 U1"}), FaultKind::OutOfOrder,
      "device 0 is at B0 of stage 0, which waits for B0 of stage 1; device 1 is "
      "at F1 of stage 1, which waits for F1 of stage 0");
}

TEST(Verify, FindsEveryOrderThatADataDependenceForbids) {
  const Texts wrong{"F0 W0 I0 U0",   "W0 F0 I0 U0", "R0 F0 B0 U0", "F0 B0 R0 U0",
                    "F0 U0 B0",      "F0 I0 U0 W0", "F0+B0 U0",    "F0 I0+W0 U0",
                    "F0 R0+B0 U0",   "F0 B0+U0",    "I0 F0 W0 U0", "U0 F0 B0",
                    "F0 I0 R0 W0 U0"};
  for (const std::string& row : wrong) {
    const auto faults = verify(from_rows(1, {row}));
    ASSERT_FALSE(faults.empty()) << row;
    for (const Fault& fault : faults) {
      EXPECT_EQ(fault.kind, FaultKind::OutOfOrder) << row << ": " << fault.reason;
    }
  }
}

TEST(Verify, WantsTheUpdateBeforeTheNextStep) {
  Schedule schedule = from_rows(1, {"F0 B0 F1 U0 B1 U1"});
  schedule.steps = 2;
  expect_fault(
      schedule, FaultKind::OutOfOrder,
      "device 0 is at F1 of stage 0, which waits for U0 of stage 0 in the same "
      "row, which does not come before it");
}

TEST(Verify, LetsOneStageStartAStepThatAnotherHasNotEnded) {
  Schedule schedule = from_rows(1, {"F0 B0 U0 F1 B1 U1", "F0 B0 U0 F1 B1 U1"});
  schedule.steps = 2;
  EXPECT_EQ(reasons(verify(schedule)), Texts{});
}

TEST(Verify, ReportsSeveralFaultsAtOnce) {
  const auto faults = verify(from_rows(2, {"F0 F0 B1 B0 U1", "B0 F0 F1 9F0 B1 U1"}));
  EXPECT_EQ(reasons(faults),
            (Texts{"F0 of stage 0 stands more than once, again in the row of device 0",
                   "the row of device 1 holds F0 of stage 9: stages run from 0 to 1",
                   "F1 of stage 0 is in no row",
                   "device 1 is at B0 of stage 1, which waits for F0 of stage 1 in the "
                   "same row, which does not come before it"}));
}

TEST(Verify, GoesOnBehindACircleToFindTheNext) {
  const auto faults = verify(from_rows(2, {"B0 F0 B1 F1 U1"}));
  EXPECT_EQ(faults.size(), 2U);
}

TEST(Verify, ListsTheFirstFaultsOfAKindAndCountsTheRest) {
  auto schedule = gpipe({4, 1000, 1});
  ASSERT_TRUE(schedule);
  for (Row& row : schedule->rows) row.clear();
  const auto faults = verify(*schedule);
  ASSERT_EQ(faults.size(), 101U);
  EXPECT_EQ(faults[0].reason, "F0 of stage 0 is in no row");
  EXPECT_EQ(faults[100].reason, "and at least 7904 more of this kind");
  EXPECT_EQ(faults[100].kind, FaultKind::Missing);
}

TEST(Verify, EndsSoonWhenEveryOrderIsWrong) {
  constexpr std::int32_t kMany = 100'000;
  auto schedule = model_parallel({1, kMany, 1});
  ASSERT_TRUE(schedule);
  Row& row = schedule->rows[0];
  for (std::size_t i = 0; i + 1 < row.size(); i += 2) std::swap(row[i], row[i + 1]);
  const auto faults = verify(*schedule);
  ASSERT_EQ(faults.size(), 101U);
  EXPECT_EQ(faults[100].reason, "and at least 1 more of this kind");
}

TEST(Verify, HoldsEachDeviceToItsMemoryLimit) {
  const auto schedule = gpipe({3, 5, 1});
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(verify(*schedule, {{5}, 0}).empty());
  EXPECT_EQ(reasons(verify(*schedule, {{5, 4.5, 5}, 0})),
            Texts{"device 1 holds 5 activations at once, over its limit of 4.5"});
  const auto faults = verify(*schedule, {{4}, 0});
  EXPECT_EQ(faults.size(), 3U);
  EXPECT_TRUE(has(faults, FaultKind::OverMemory));
}

TEST(Verify, PassesOneFOneBAtPMinusSActivationsAndNotBelow) {
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 1; m <= 12; ++m) {
      const auto schedule = one_f_one_b({p, m, 2});
      ASSERT_TRUE(schedule);
      VerifyOptions exact;
      for (std::int32_t s = 0; s < p; ++s) {
        exact.memory_limit.push_back(std::min(p - s, m));
      }
      EXPECT_EQ(reasons(verify(*schedule, exact)), Texts{});
      for (double& limit : exact.memory_limit) limit -= 0.01;
      EXPECT_EQ(verify(*schedule, exact).size(), static_cast<std::size_t>(p));
    }
  }
}

TEST(Verify, CountsMemoryPerStageThatADeviceHolds) {
  const Schedule schedule =
      from_rows(3, {"0F0 1F0 0F1 1F1 0F2 1B0 0B0 1F2 1B1 0B1 1B2 0B2 0U2 1U2"}, {0, 0});
  EXPECT_TRUE(verify(schedule, {{2.5}, 0}).empty());
  EXPECT_EQ(
      reasons(verify(schedule, {{2.25}, 0})),
      Texts{"device 0 holds 5 activations at once, which is 2.5 for each of its 2 "
            "stages, over its limit of 2.25"});
}

TEST(Verify, HoldsAnActivationUntilItsWeightGradient) {
  const Schedule late = from_rows(2, {"F0 I0 F1 I1 W0 W1 U1"});
  EXPECT_TRUE(has(verify(late, {{1}, 0}), FaultKind::OverMemory));
  const Schedule soon = from_rows(2, {"F0 I0 W0 F1 I1 W1 U1"});
  EXPECT_TRUE(verify(soon, {{1}, 0}).empty());
}

TEST(Verify, LetsTheForwardOfAPairTakeBeforeTheBackwardFrees) {
  const Schedule apart = from_rows(2, {"F0 B0 F1 B1 U1"});
  EXPECT_TRUE(verify(apart, {{1}, 0}).empty());
  for (const std::string pair : {"F1+B0", "B0+F1"}) {
    const Schedule joined = from_rows(2, {"F0 " + pair + " B1 U1"});
    EXPECT_EQ(reasons(verify(joined, {{1}, 0})),
              Texts{"device 0 holds 2 activations at once, over its limit of 1"});
  }
}

TEST(Verify, HoldsOneActivationAtATimeWhereOnlyForwardsRun) {
  const auto schedule = forward_only({3, 7, 1});
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(verify(*schedule, {{1}, 0}).empty());
  EXPECT_EQ(verify(*schedule, {{0.5}, 0}).size(), 3U);
}

// --- Two copies of the weights ---

// Stage s of the first copy on device s, of the second on device 1-s; micro-batches 0
// and 1 run on the first, 2 and 3 on the second.
Schedule two_way(const std::string& row_0, const std::string& row_1) {
  Schedule schedule = from_rows(4, {row_0, row_1});
  schedule.placement = two_way_placement(2);
  return schedule;
}

const std::string kFirst = "0F0 0F1 1F2 1F3 1B2 1B3 0B0 0B1 ";
const std::string kSecond = "1F0 1F1 0F2 0F3 1B0 1B1 0B2 0B3 ";
const std::string kFirstEnds = "0AR1 1AR3 0U1 1U3";
const std::string kSecondEnds = "0AR3 1AR1 0U3 1U1";

TEST(TwoCopies, RunHalfTheMicroBatchesEachAndAreSummed) {
  EXPECT_EQ(reasons(verify(two_way(kFirst + kFirstEnds, kSecond + kSecondEnds))),
            Texts{});
  // An odd micro-batch more runs on the first copy.
  Schedule odd = from_rows(3, {"0F0 0F1 1F2 1B2 0B0 0B1 0AR1 1AR2 0U1 1U2",
                               "1F0 1F1 0F2 1B0 1B1 0B2 0AR2 1AR1 0U2 1U1"});
  odd.placement = two_way_placement(2);
  EXPECT_EQ(reasons(verify(odd)), Texts{});
}

TEST(TwoCopies, KeepAMicroBatchOnTheDevicesOfItsCopy) {
  expect_fault(two_way("0F2 " + kFirst + kFirstEnds,
                       "1F0 1F1 0F3 1B0 1B1 0B2 0B3 " + kSecondEnds),
               FaultKind::WrongDevice,
               "F2 of stage 0 is in the row of device 0, but device 1 holds that stage "
               "for that micro-batch");
}

TEST(TwoCopies, NeedTheSumAndTheUpdateOfEither) {
  expect_fault(two_way(kFirst + "0AR1 0U1 1U3", kSecond + kSecondEnds),
               FaultKind::Missing, "AR3 of stage 1 is in no row");
  expect_fault(two_way(kFirst + kFirstEnds, kSecond + "0AR3 1AR1 0U3"),
               FaultKind::Missing, "U1 of stage 1 is in no row");
  expect_fault(two_way(kFirst + kFirstEnds + " 0AR1", kSecond + kSecondEnds),
               FaultKind::Twice,
               "AR1 of stage 0 stands more than once, again in the row of device 0");
}

TEST(TwoCopies, EndAStepWithTheLastMicroBatchOfEither) {
  const auto expect_malformed = [](const std::string& wrong, const std::string& what) {
    std::string reason = "the row of device 0 holds " + wrong;
    reason += " of stage 0: " + what;
    reason += " carries the last micro-batch of its step on its copy of the weights";
    expect_fault(two_way(kFirst + kFirstEnds + " 0" + wrong, kSecond + kSecondEnds),
                 FaultKind::Malformed, reason);
  };
  expect_malformed("AR0", "a sum over copies");
  expect_malformed("AR2", "a sum over copies");
  expect_malformed("U0", "an update");
  expect_malformed("U2", "an update");
}

TEST(TwoCopies, AreSummedWhenAllTheirGradientsAreThere) {
  expect_fault(two_way("0F0 0F1 1F2 1F3 1B2 1B3 0B0 0AR1 0B1 1AR3 0U1 1U3",
                       kSecond + kSecondEnds),
               FaultKind::OutOfOrder,
               "device 0 is at AR1 of stage 0, which waits for B1 of stage 0 in the "
               "same row, which does not come before it");
  expect_fault(two_way(kFirst + "0U1 0AR1 1AR3 1U3", kSecond + kSecondEnds),
               FaultKind::OutOfOrder,
               "device 0 is at U1 of stage 0, which waits for AR1 of stage 0 in the "
               "same row, which does not come before it");
}

TEST(TwoCopies, MeetInTheSameOrderOnBothDevices) {
  expect_fault(
      two_way(kFirst + kFirstEnds, kSecond + "1AR1 0AR3 0U3 1U1"),
      FaultKind::OutOfOrder,
      "device 0 is at AR1 of stage 0, which waits for AR3 of stage 0; device 1 "
      "is at AR1 of stage 1, which waits for AR3 of stage 1");
  // Joined they start together, in whichever order they are written.
  EXPECT_EQ(reasons(verify(
                two_way(kFirst + "0AR1+1AR3 0U1 1U3", kSecond + "1AR1+0AR3 0U3 1U1"))),
            Texts{});
}

TEST(TwoCopies, BlockARowUntilTheOtherHasCome) {
  // Device 0 stands at the sum of stage 0 before it gives device 1 what that needs.
  expect_fault(
      two_way("0F0 0F1 1F2 1F3 1B2 0B0 0B1 0AR1 1B3 1AR3 0U1 1U3",
              kSecond + kSecondEnds),
      FaultKind::OutOfOrder,
      "device 0 is at AR1 of stage 0, which waits for AR3 of stage 0; device 1 is at "
      "B3 of stage 0, which waits for B3 of stage 1");
}

TEST(TwoCopies, OnOneDeviceNeedNotWaitForEachOther) {
  Schedule alone = from_rows(2, {"0F0 0F1 0B0 0AR0 0B1 0AR1 0U0 0U1"});
  alone.placement.device_of_second_copy = {0};
  EXPECT_EQ(reasons(verify(alone)), Texts{});
  Schedule early = from_rows(2, {"0F0 0F1 0B0 0AR0 0U0 0B1 0AR1 0U1"});
  early.placement.device_of_second_copy = {0};
  expect_fault(early, FaultKind::OutOfOrder,
               "device 0 is at U0 of stage 0, which waits for AR1 of stage 0 in the "
               "same row, which does not come before it");
}

TEST(TwoCopies, NeedAPlaceForEachStageAndAMicroBatchForEachCopy) {
  Schedule schedule = two_way(kFirst + kFirstEnds, kSecond + kSecondEnds);
  schedule.placement.device_of_second_copy = {1};
  expect_fault(schedule, FaultKind::Malformed,
               "the second copy places 1 stages, the first 2");
  schedule.placement.device_of_second_copy = {1, 2};
  expect_fault(schedule, FaultKind::Malformed,
               "the second copy of stage 1 is placed on device 2, but devices run from "
               "0 to 1");
  schedule.placement = two_way_placement(2);
  schedule.weights = WeightPolicy::Stashed;
  expect_fault(
      schedule, FaultKind::Malformed,
      "an update after each backward leaves two copies of the weights unequal");
  schedule.weights = WeightPolicy::Synchronous;
  schedule.micro_batches = 1;
  expect_fault(schedule, FaultKind::Malformed,
               "two copies of the weights need at least two micro-batches in a step, "
               "one for each");
}

TEST(TwoCopies, CountAgainstTheMemoryOfTheirDeviceTogether) {
  const Schedule schedule = two_way(kFirst + kFirstEnds, kSecond + kSecondEnds);
  EXPECT_TRUE(verify(schedule, {{4}, 0}).empty());
  EXPECT_EQ(reasons(verify(schedule, {{4, 3}, 0})),
            Texts{"device 1 holds 4 activations at once, over its limit of 3"});
}

// --- The norm of all gradients ---

TEST(Norm, HoldsAllUpdatesBackUntilAllDevicesAreThere) {
  EXPECT_EQ(reasons(verify(from_rows(1, {"F0 B0 NR0 U0", "F0 B0 NR0 U0"}))), Texts{});
  expect_fault(from_rows(1, {"F0 B0 NR0 U0", "F0 B0 U0"}), FaultKind::Missing,
               "NR0 of stage 1 is in no row");
  expect_fault(
      from_rows(1, {"F0 B0 NR0 U0", "F0 B0 U0 NR0"}), FaultKind::OutOfOrder,
      "device 1 is at U0 of stage 1, which waits for NR0 of stage 1 in the same "
      "row, which does not come before it");
  expect_fault(
      from_rows(1, {"F0 NR0 B0 U0", "F0 B0 NR0 U0"}), FaultKind::OutOfOrder,
      "device 0 is at NR0 of stage 0, which waits for B0 of stage 0 in the same "
      "row, which does not come before it");
}

TEST(Norm, IsABarrierBetweenSteps) {
  const auto two_steps = [](const std::string& row_0, const std::string& row_1) {
    Schedule schedule = from_rows(1, {row_0, row_1});
    schedule.steps = 2;
    schedule.weights = WeightPolicy::DoubleBuffered;
    return schedule;
  };
  const std::string plain = "F0 B0 NR0 U0 F1 B1 U1";
  EXPECT_EQ(reasons(verify(two_steps(plain, plain))), Texts{});
  EXPECT_EQ(
      reasons(verify(two_steps("F0 F1 B0 NR0 U0 B1 U1", "F0 B0 F1 NR0 U0 B1 U1"))),
      Texts{});
  // Device 1 wants something of the next step before it comes to the norm.
  expect_fault(
      two_steps(plain, "F0 B0 F1 NR0 U0 B1 U1"), FaultKind::OutOfOrder,
      "device 0 is at NR0 of stage 0, which waits for NR0 of stage 1; device 1 "
      "is at F1 of stage 1, which waits for F1 of stage 0");
}

TEST(Norm, TakesInAllStagesOfADevice) {
  const auto loop = [](const std::string& row_0) {
    return from_rows(1, {row_0, "1F0 3F0 3B0 1B0 1NR0 1U0 3U0"}, {0, 1, 0, 1});
  };
  EXPECT_EQ(reasons(verify(loop("0F0 2F0 2B0 0B0 0NR0 0U0 2U0"))), Texts{});
  expect_fault(
      loop("0F0 2F0 2B0 0NR0 0B0 0U0 2U0"), FaultKind::OutOfOrder,
      "device 0 is at NR0 of stage 0, which waits for B0 of stage 0 in the same "
      "row, which does not come before it");
  // It names the lowest.
  const auto faults = verify(loop("0F0 2F0 2B0 0B0 2NR0 0U0 2U0"));
  EXPECT_EQ(reasons(faults),
            (Texts{"the row of device 0 holds NR0 of stage 2: a norm carries the last "
                   "micro-batch of the first copy of the weights, and the lowest stage "
                   "that its device holds of it",
                   "NR0 of stage 0 is in no row"}));
}

TEST(Norm, ComesAfterTheSumsOverCopies) {
  EXPECT_EQ(reasons(verify(two_way(kFirst + "0AR1 1AR3 0NR1 0U1 1U3",
                                   kSecond + "0AR3 1AR1 1NR1 0U3 1U1"))),
            Texts{});
  expect_fault(
      two_way(kFirst + "0AR1 0NR1 1AR3 0U1 1U3", kSecond + "0AR3 1AR1 1NR1 0U3 1U1"),
      FaultKind::OutOfOrder,
      "device 0 is at NR1 of stage 0, which waits for AR3 of stage 1 in the "
      "same row, which does not come before it");
}

TEST(Norm, OfManyDevicesWaitsForTheFirstThatIsNotThere) {
  // Device 2 waits, before its norm, for what device 1 does only after its own.
  Schedule schedule =
      from_rows(1, {"0F0 0B0 0NR0 0U0", "1F0 1NR0 1B0 1U0", "2F0 2B0 2NR0 2U0"});
  expect_fault(
      schedule, FaultKind::OutOfOrder,
      "device 1 is at NR0 of stage 1, which waits for B0 of stage 1 in the same "
      "row, which does not come before it");
}

// --- Which weights a micro-batch uses ---

Schedule of_policy(WeightPolicy weights, std::int32_t micro_batches, std::int32_t steps,
                   const std::string& row) {
  Schedule schedule = from_rows(micro_batches, {row});
  schedule.weights = weights;
  schedule.steps = steps;
  return schedule;
}

TEST(Weights, DoubleBufferedLetAStepStartBeforeTheOneBeforeItIsUpdated) {
  const std::string overlapped = "F0 F1 B0 U0 F2 B1 U1 B2 U2";
  EXPECT_EQ(reasons(verify(of_policy(WeightPolicy::DoubleBuffered, 1, 3, overlapped))),
            Texts{});
  EXPECT_EQ(reasons(verify(of_policy(WeightPolicy::Synchronous, 1, 3, overlapped))),
            (Texts{"device 0 is at F1 of stage 0, which waits for U0 of stage 0 in the "
                   "same row, which does not come before it",
                   "device 0 is at F2 of stage 0, which waits for U1 of stage 0 in the "
                   "same row, which does not come before it"}));
  expect_fault(
      of_policy(WeightPolicy::DoubleBuffered, 1, 3, "F0 F1 F2 B0 U0 B1 U1 B2 U2"),
      FaultKind::OutOfOrder,
      "device 0 is at F2 of stage 0, which waits for U0 of stage 0 in the same "
      "row, which does not come before it");
}

TEST(Weights, StashedAreUpdatedAfterEachBackward) {
  for (const auto weights : {WeightPolicy::Stashed, WeightPolicy::VerticalSync}) {
    EXPECT_EQ(reasons(verify(
                  of_policy(weights, 2, 2, "F0 F1 B0 U0 F2 B1 U1 F3 B2 U2 B3 U3"))),
              Texts{});
    expect_fault(of_policy(weights, 2, 1, "F0 F1 B0 B1 U1"), FaultKind::Missing,
                 "U0 of stage 0 is in no row");
    expect_fault(of_policy(weights, 2, 1, "F0 F1 U0 B0 B1 U1"), FaultKind::OutOfOrder,
                 "device 0 is at U0 of stage 0, which waits for B0 of stage 0 in the "
                 "same row, which does not come before it");
    expect_fault(of_policy(weights, 2, 1, "F0 F1 B0 U0 B1 NR1 U1"),
                 FaultKind::Malformed,
                 "the row of device 0 holds NR1 of stage 0: with an update after each "
                 "backward there is no norm of all gradients");
  }
}

// --- Slices ---

Schedule sliced(const std::vector<std::string>& rows) {
  Schedule schedule = from_rows(2, rows);
  schedule.slices = {3, 1};
  return schedule;
}

const std::string kSliced = "F0 F0.1 F0.2 F1 B0.2 B0.1 B0 B1 U1";

TEST(Slices, RunForwardsUpAndBackwardsDown) {
  EXPECT_EQ(reasons(verify(sliced({kSliced, kSliced}))), Texts{});
  // Other micro-batches may come between, and halves may part.
  EXPECT_EQ(reasons(verify(sliced({kSliced,
                                   "F0 F1 F0.1 B1 F0.2 I0.2 I0.1 W0.1 B0 W0.2 "
                                   "U1"}))),
            Texts{});
  expect_fault(sliced({"F0 F0.2 F0.1 F1 B0.2 B0.1 B0 B1 U1"}), FaultKind::OutOfOrder,
               "device 0 is at F0.2 of stage 0, which waits for F0.1 of stage 0 in the "
               "same row, which does not come before it");
  expect_fault(sliced({"F0 F0.1 F0.2 F1 B0.1 B0.2 B0 B1 U1"}), FaultKind::OutOfOrder,
               "device 0 is at B0.1 of stage 0, which waits for B0.2 of stage 0 in the "
               "same row, which does not come before it");
}

TEST(Slices, GoFromStageToStageOneByOne) {
  // The last stage starts before the first has the whole sequence, and cannot go on.
  expect_fault(
      sliced(
          {"F0 F0.1 F1 B1 F0.2 B0.2 B0.1 B0 U1", "F0 F0.1 F0.2 F1 B1 B0.2 B0.1 B0 U1"}),
      FaultKind::OutOfOrder,
      "device 0 is at B1 of stage 0, which waits for B1 of stage 1; device 1 is "
      "at F0.2 of stage 1, which waits for F0.2 of stage 0");
}

TEST(Slices, AreAllNeededAndNoMore) {
  expect_fault(sliced({"F0 F0.1 F1 B0.2 B0.1 B0 B1 U1"}), FaultKind::Missing,
               "F0.2 of stage 0 is in no row");
  expect_fault(sliced({"F0 F0.1 F0.2 F1 B0.2 B0 B1 U1"}), FaultKind::Missing,
               "B0.1 of stage 0 is in no row");
  expect_fault(sliced({kSliced + " F0.1"}), FaultKind::Twice,
               "F0.1 of stage 0 stands more than once, again in the row of device 0");
  const auto expect_malformed = [](const std::string& extra, const std::string& why) {
    expect_fault(sliced({kSliced + " " + extra}), FaultKind::Malformed,
                 "the row of device 0 holds " + extra + " of stage 0: " + why);
  };
  expect_malformed("F0.3", "slices of micro-batch 0 run from 0 to 2");
  expect_malformed("F1.1", "slices of micro-batch 1 run from 0 to 0");
  expect_malformed("F0.-1", "slices of micro-batch 0 run from 0 to 2");
  Schedule last_is_cut = from_rows(2, {"F0 F1 F1.1 B1.1 B1 B0 U1 U1.1"});
  last_is_cut.slices = {1, 2};
  expect_fault(last_is_cut, FaultKind::Malformed,
               "the row of device 0 holds U1.1 of stage 0: what ends a step is not of "
               "one slice");
}

TEST(Slices, HoldUpTheUpdateUntilTheLastOfThem) {
  expect_fault(sliced({"F0 F0.1 F0.2 F1 B1 I0.2 W0.2 I0.1 I0 W0 U1 W0.1"}),
               FaultKind::OutOfOrder,
               "device 0 is at U1 of stage 0, which waits for W0.1 of stage 0 in the "
               "same row, which does not come before it");
}

TEST(Slices, HoldTheirShareOfAnActivation) {
  const Schedule together = sliced({"F0 F0.1 F0.2 B0.2 B0.1 F1 B1 B0 U1"});
  EXPECT_TRUE(verify(together, {{4.0 / 3}, 0}).empty());
  EXPECT_EQ(reasons(verify(together, {{1.3}, 0})),
            Texts{"device 0 holds 1.33 activations at once, over its limit of 1.3"});
}

TEST(Slices, AreOneCountForEachMicroBatch) {
  Schedule schedule = sliced({kSliced});
  schedule.slices = {3};
  expect_fault(schedule, FaultKind::Malformed,
               "1 counts of slices are given for 2 micro-batches");
  schedule.slices = {3, 0};
  expect_fault(schedule, FaultKind::Malformed,
               "slices must be at least 1, but 0 was asked for");
  schedule.slices = {3, 32'768};
  expect_fault(schedule, FaultKind::Malformed,
               "slices may be at most 32767, but 32768 was asked for");
  schedule.slices = {32'767, 32'767};
  schedule.steps = 1'025;
  expect_fault(schedule, FaultKind::Malformed,
               "1 stages times 65534 slices times 1025 steps is more than 67108864 "
               "actions");
}

TEST(Verify, FreesTheShareOfAnActivationThatItsInputGradientDoes) {
  const Schedule schedule = from_rows(2, {"F0 I0 F1 I1 W0 W1 U1"});
  for (const double freed : {0.0, 0.25, 1.0}) {
    const double peak = 2 - freed;
    EXPECT_TRUE(verify(schedule, {{peak}, 0, freed}).empty()) << freed;
    EXPECT_TRUE(has(verify(schedule, {{peak - 0.01}, 0, freed}), FaultKind::OverMemory))
        << freed;
  }
  for (const double freed : {-0.1, 1.1, std::nan("")}) {
    expect_fault(
        schedule, FaultKind::Malformed,
        "the share of an activation that an input gradient frees is not within "
        "0 to 1",
        {{}, 0, freed});
  }
}

}  // namespace
}  // namespace pipeline
