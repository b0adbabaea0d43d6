// Communication that hangs, or takes the wrong message: what `verify` says of lowered
// rows. Most cases are faults that were reported against public systems.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/slow_checker.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::forwards_from_rows;
using test::from_rows;
using test::has;
using test::reasons;
using Texts = std::vector<std::string>;

Texts faults_at(const Schedule& schedule, std::int32_t buffers) {
  EXPECT_GT(schedule.devices(), 0);
  return reasons(verify(schedule, {{}, buffers}));
}

bool is_send(const Entry& entry) {
  return entry.action.kind == ActionKind::SendActivation ||
         entry.action.kind == ActionKind::SendGradient;
}

// Takes every group apart; `sends_first(device)` says in which order.
template <typename SendsFirst>
Schedule ungrouped(Schedule schedule, const SendsFirst& sends_first) {
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    Row& row = schedule.rows[d];
    for (auto begin = row.begin(); begin != row.end();) {
      auto end = begin + 1;
      while ((end - 1)->with_next) ++end;
      const bool first = sends_first(d);
      std::stable_partition(begin, end,
                            [first](const Entry& e) { return is_send(e) == first; });
      for (auto e = begin; e != end; ++e) e->with_next = false;
      begin = end;
    }
  }
  return schedule;
}

TEST(Rendezvous, HangsWhenReceivesArePostedFarTooEarly) {
  // Stage 0 asks for its first gradient before its second forward; stage 1 needs that
  // forward to finish its warm-up. No buffer helps.
  for (std::int32_t p = 2; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 8; ++m) {
      const auto schedule = one_f_one_b({p, m, 1});
      ASSERT_TRUE(schedule);
      Schedule early = lower(*schedule);
      Row& row = early.rows[0];
      const auto wanted = std::find_if(row.begin(), row.end(), [](const Entry& e) {
        return e.action.kind == ActionKind::ReceiveGradient;
      });
      const Entry receive{wanted->action};
      (wanted - 1)->with_next = false;
      row.erase(wanted);
      row.insert(row.begin() + 2, receive);  // F0 SA0 RG0 …
      const bool warms_up = p > 2 && m > 1;
      for (const std::int32_t buffers : {0, 1, 100}) {
        EXPECT_EQ(faults_at(early, buffers),
                  warms_up ? Texts{"stage 0 waits for gradient 0 from 1; 1 waits for "
                                   "activation 1 from 0"}
                           : Texts{})
            << "p=" << p << " m=" << m << " buffers=" << buffers;
      }
    }
  }
}

TEST(Rendezvous, HangsWhenBothEndsOfALinkSendFirst) {
  const Schedule schedule = from_rows(
      2, {"F0 SA0 F1 SA1 RG0 B0 RG1 B1 U1", "RA0 F0 B0 SG0 RA1 F1 B1 SG1 U1"});
  EXPECT_EQ(
      faults_at(schedule, 0),
      Texts{"stage 0 waits for 1 to receive activation 1; 1 waits for 0 to receive "
            "gradient 0"});
  EXPECT_TRUE(has(verify(schedule, {{}, 0}), FaultKind::Blocked));
  // A verifier that ignored the capacity would pass it: with one buffer it runs.
  EXPECT_EQ(faults_at(schedule, 1), Texts{});
}

TEST(Rendezvous, HangsInOneFOneBWhereverTheGroupIsTakenApart) {
  for (std::int32_t p = 2; p <= 8; ++p) {
    for (std::int32_t m = 2; m <= 8; ++m) {
      const auto schedule = one_f_one_b({p, m, 1});
      ASSERT_TRUE(schedule);
      const Schedule grouped = lower(*schedule);
      EXPECT_EQ(faults_at(grouped, 0), Texts{});
      const Schedule apart = ungrouped(grouped, [](std::size_t) { return true; });
      EXPECT_TRUE(has(verify(apart, {{}, 0}), FaultKind::Blocked))
          << "p=" << p << " m=" << m;
      EXPECT_EQ(faults_at(apart, 1), Texts{}) << "p=" << p << " m=" << m;
    }
  }
}

TEST(Rendezvous, LivesWithOddDevicesReceivingFirstOnlyInLongEnoughSteps) {
  // The other remedy, even devices send first and odd ones receive first, breaks where
  // a step ends while device 1 still warms up: it then asks for the first gradient
  // before it sends the last activation.
  for (std::int32_t p = 2; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 8; ++m) {
      const auto schedule = one_f_one_b({p, m, 2});
      ASSERT_TRUE(schedule);
      const Schedule swapped =
          ungrouped(lower(*schedule), [](std::size_t d) { return d % 2 == 0; });
      EXPECT_EQ(has(verify(swapped), FaultKind::Blocked), m <= p - 2)
          << "p=" << p << " m=" << m;
    }
  }
}

TEST(Rendezvous, HangsWhenOddDevicesAreSwappedIntoTheOrderOfTheEvenOnes) {
  // Both ends receive first: no buffer helps.
  for (std::int32_t p = 2; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 8; ++m) {
      const auto schedule = one_f_one_b({p, m, 1});
      ASSERT_TRUE(schedule);
      const Schedule apart =
          ungrouped(lower(*schedule), [](std::size_t) { return false; });
      for (const std::int32_t buffers : {0, 1, 100}) {
        const auto faults = verify(apart, {{}, buffers});
        ASSERT_EQ(faults.size(), 1U) << "p=" << p << " m=" << m;
        EXPECT_EQ(faults[0].kind, FaultKind::Blocked) << faults[0].reason;
      }
    }
  }
  const auto schedule = one_f_one_b({2, 2, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(
      faults_at(ungrouped(lower(*schedule), [](std::size_t) { return false; }), 9),
      Texts{"stage 0 waits for gradient 0 from 1; 1 waits for activation 1 from "
            "0"});
}

TEST(Rendezvous, NamesAHangOnceBesideActionsOutOfOrder) {
  // Devices 0 and 1 hang; device 2, to which no message leads, runs backwards first.
  const auto faults =
      verify(from_rows(2, {"F0 SA0 F1 SA1 RG0 B0 RG1 B1 U1",
                           "RA0 F0 B0 SG0 RA1 F1 B1 SG1 U1", "B0 F0 B1 F1 U1"}));
  const auto count = [&faults](FaultKind kind) {
    return std::count_if(faults.begin(), faults.end(),
                         [kind](const Fault& fault) { return fault.kind == kind; });
  };
  EXPECT_EQ(count(FaultKind::Missing), 4);
  EXPECT_EQ(count(FaultKind::OutOfOrder), 2);
  EXPECT_EQ(count(FaultKind::Blocked), 1);
}

TEST(Rendezvous, NeedsTheForwardReceiveAndTheBackwardSendInOneGroup) {
  // It hangs where two neighbours both take theirs apart: the one's send of a gradient
  // waits behind the other's send of an activation.
  for (std::int32_t p = 2; p <= 5; ++p) {
    for (std::int32_t m = p; m <= p + 3; ++m) {
      const auto schedule = one_f_one_b({p, m, 1});
      ASSERT_TRUE(schedule);
      const Schedule grouped = lower(*schedule);
      for (std::size_t apart = 0; apart < (1U << p); ++apart) {
        Schedule some = grouped;
        const Schedule all = ungrouped(grouped, [](std::size_t) { return true; });
        for (std::size_t d = 0; d < some.rows.size(); ++d) {
          if ((apart >> d & 1) != 0) some.rows[d] = all.rows[d];
        }
        EXPECT_EQ(has(verify(some), FaultKind::Blocked), (apart & apart >> 1) != 0)
            << to_text(some);
        EXPECT_EQ(faults_at(some, 1), Texts{});
      }
    }
  }
}

// --- Every schedule, with its messages in every reported order ---

// Each receive right before the computation that needs it, as if only 1F1B were known.
Schedule with_late_receives(Schedule lowered) {
  const auto needs = [](const Action& computation, const Action& receive) {
    const bool activation = receive.kind == ActionKind::ReceiveActivation;
    const bool takes = activation ? computation.kind == ActionKind::Forward
                                  : computation.kind == ActionKind::Backward ||
                                        computation.kind == ActionKind::InputGradient;
    return takes && computation.stage == receive.stage &&
           computation.micro_batch == receive.micro_batch &&
           computation.slice == receive.slice;
  };
  for (Row& row : lowered.rows) {
    Row receives;
    Row late;
    for (const Entry& e : row) {
      const bool receive = is_communication(e.action.kind) && !is_send(e);
      (receive ? receives : late).push_back({e.action, e.with_next});
    }
    for (const Entry& receive : receives) {
      auto at = std::find_if(late.begin(), late.end(), [&](const Entry& e) {
        return needs(e.action, receive.action);
      });
      while (at != late.begin() && !is_communication((at - 1)->action.kind) &&
             (at - 1)->with_next) {
        --at;
      }
      late.insert(at, {receive.action});
    }
    for (std::size_t i = 0; i + 1 < late.size(); ++i) {
      if (is_communication(late[i].action.kind)) {
        late[i].with_next = is_communication(late[i + 1].action.kind);
      }
    }
    if (!late.empty() && is_communication(late.back().action.kind)) {
      late.back().with_next = false;
    }
    row = late;
  }
  return lowered;
}

struct Verdicts {
  int valid = 0;
  int hanging = 0;
};

// `verify` must say what the slow checker says, and a hang must be called one.
void judge(const Schedule& schedule, Verdicts& verdicts) {
  for (const std::int32_t buffers : {0, 1, 2}) {
    const bool runs =
        test::SlowChecker(schedule, static_cast<std::size_t>(buffers)).accepts();
    const auto faults = verify(schedule, {{}, buffers});
    ASSERT_EQ(faults.empty(), runs) << to_text(schedule) << "buffers: " << buffers;
    ++(runs ? verdicts.valid : verdicts.hanging);
    for (const Fault& fault : faults) {
      EXPECT_TRUE(fault.kind == FaultKind::Blocked ||
                  fault.kind == FaultKind::Unmatched)
          << to_text(schedule) << fault.reason;
    }
  }
}

TEST(EverySchedule, IsJudgedRightInEveryReportedOrderOfItsMessages) {
  const bool full = in_full_tier();
  Verdicts late;
  Verdicts sends_first;
  Verdicts receives_first;
  Verdicts odd_swapped;
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 2; p <= (full ? 6 : 4); ++p) {
      for (std::int32_t m = 1; m <= (full ? 12 : 8); m += full || m < 3 ? 1 : 5) {
        const auto schedule = generator.generate({{p, m, 1}});
        if (!schedule) continue;  // forbidden: see generate_test.cpp
        const Schedule lowered = lower(*schedule);
        judge(with_late_receives(lowered), late);
        judge(ungrouped(lowered, [](std::size_t) { return true; }), sends_first);
        judge(ungrouped(lowered, [](std::size_t) { return false; }), receives_first);
        judge(ungrouped(lowered, [](std::size_t d) { return d % 2 == 0; }),
              odd_swapped);
      }
    }
  }
  for (const Verdicts& verdicts : {late, sends_first, receives_first, odd_swapped}) {
    EXPECT_GT(verdicts.valid, 20);
    EXPECT_GT(verdicts.hanging, 20);
  }
}

TEST(Buffers, AreCountedExactly) {
  // Device 0 runs all n forwards before its first backward; device 1 sends a gradient
  // after each. With b buffers device 1 sticks when gradient b does not fit any more,
  // having taken b + 1 activations, and b more lie in the link.
  for (std::int32_t n = 2; n <= 9; ++n) {
    Schedule schedule = from_rows(n, {"", ""});
    const auto add = [&schedule](ActionKind kind, std::int32_t stage, std::int32_t k) {
      schedule.rows[static_cast<std::size_t>(stage)].push_back({{kind, 0, stage, k}});
    };
    for (std::int32_t k = 0; k < n; ++k) {
      add(ActionKind::Forward, 0, k);
      add(ActionKind::SendActivation, 0, k);
      add(ActionKind::ReceiveActivation, 1, k);
      add(ActionKind::Forward, 1, k);
      add(ActionKind::Backward, 1, k);
      add(ActionKind::SendGradient, 1, k);
    }
    for (std::int32_t k = 0; k < n; ++k) {
      add(ActionKind::ReceiveGradient, 0, k);
      add(ActionKind::Backward, 0, k);
    }
    for (const std::int32_t stage : {0, 1}) add(ActionKind::Update, stage, n - 1);
    for (std::int32_t buffers = 0; buffers <= 10; ++buffers) {
      EXPECT_EQ(faults_at(schedule, buffers).empty(), 1 + 2 * buffers >= n)
          << n << " forwards ahead, " << buffers << " buffers";
    }
  }
}

TEST(Buffers, KeepASendWaitingUntilItsMessageFits) {
  const Schedule schedule =
      from_rows(3, {"F0 SA0 F1 SA1 F2 SA2 RG0 B0 RG1 B1 RG2 B2 U2",
                    "RA0 F0 B0 SG0 RA1 F1 B1 SG1 RA2 F2 B2 SG2 U2"});
  EXPECT_EQ(
      faults_at(schedule, 0),
      Texts{"stage 0 waits for 1 to receive activation 1; 1 waits for 0 to receive "
            "gradient 0"});
  EXPECT_EQ(faults_at(schedule, 1), Texts{});
}

TEST(Buffers, LetAGroupPostMoreThanFits) {
  // All three sends are posted together; the receives of the other side take them.
  EXPECT_EQ(
      faults_at(forwards_from_rows(3, {"F0 F1 F2 SA0+SA1+SA2", "RA0+RA1+RA2 F0 F1 F2"}),
                0),
      Texts{});
  EXPECT_EQ(
      faults_at(forwards_from_rows(3, {"F0 F1 F2 SA0+SA1+SA2", "RA0 F0 RA1 F1 RA2 F2"}),
                0),
      Texts{});
}

TEST(Links, CarryMessagesInTheOrderInWhichTheyAreWanted) {
  const Schedule schedule =
      forwards_from_rows(3, {"F0 F1 F2 SA0 SA2 SA1", "RA0 F0 RA1 F1 RA2 F2"});
  for (const std::int32_t buffers : {0, 1, 3}) {
    const auto faults = verify(schedule, {{}, buffers});
    EXPECT_EQ(
        reasons(faults),
        Texts{"stage 1 expects activation 1 from 0, but activation 2 comes first"});
    EXPECT_TRUE(has(faults, FaultKind::Unmatched));
  }
}

TEST(Links, CarryGradientsInOrderToo) {
  const Schedule schedule = from_rows(
      2, {"F0 SA0 F1 SA1 RG0+RG1 B0 B1 U1", "RA0 F0 RA1 F1 B0 B1 SG1+SG0 U1"});
  EXPECT_EQ(faults_at(schedule, 0),
            Texts{"stage 0 expects gradient 0 from 1, but gradient 1 comes first"});
}

TEST(Links, MatchEachSendWithAReceive) {
  const auto expect = [](const Schedule& schedule, FaultKind kind, const char* reason) {
    const auto faults = verify(schedule);
    EXPECT_EQ(reasons(faults), Texts{reason});
    EXPECT_TRUE(has(faults, kind));
  };
  expect(forwards_from_rows(2, {"F0 SA0 F1 SA1", "RA0 F0 F1"}), FaultKind::Unmatched,
         "SA1 of stage 0 has no counterpart: RA1 of stage 1 is in no row");
  expect(forwards_from_rows(2, {"F0 F1 SA1", "RA0 F0 RA1 F1"}), FaultKind::Unmatched,
         "RA0 of stage 1 has no counterpart: SA0 of stage 0 is in no row");
  expect(forwards_from_rows(2, {"F0 SA0 F1", "RA0 F0 F1"}), FaultKind::Missing,
         "SA1 of stage 0 and RA1 of stage 1 are in no row");
  expect(from_rows(1, {"F0 SA0 B0 U0", "RA0 F0 B0 SG0 U0"}), FaultKind::Unmatched,
         "SG0 of stage 1 has no counterpart: RG0 of stage 0 is in no row");
  expect(forwards_from_rows(2, {"F0 SA0 SA0 F1 SA1", "RA0 F0 RA1 F1"}),
         FaultKind::Twice,
         "SA0 of stage 0 stands more than once, again in the row of device 0");
  expect(forwards_from_rows(2, {"F0 SA0+SA0 F1 SA1", "RA0 F0 RA1 F1"}),
         FaultKind::Twice,
         "SA0 of stage 0 stands more than once, again in the row of device 0");
  expect(forwards_from_rows(1, {"F0 1RA0 SA0", "F0"}), FaultKind::WrongDevice,
         "RA0 of stage 1 is in the row of device 0, but device 1 holds that stage");
}

TEST(Links, WithOneEndAstrayHideNoFaultBehindThem) {
  // Device 0 must get past the send whose receive stands in the wrong row.
  const auto faults =
      verify(forwards_from_rows(2, {"F0 1RA0 SA0 SA1 F1", "F0 RA1 F1"}));
  EXPECT_EQ(
      reasons(faults),
      (Texts{"RA0 of stage 1 is in the row of device 0, but device 1 holds that "
             "stage",
             "device 0 is at SA1 of stage 0, which waits for F1 of stage 0 in the "
             "same row, which does not come before it"}));
}

TEST(Links, AreNotHeldUpByAnEndThatIsAstray) {
  EXPECT_EQ(faults_at(forwards_from_rows(2, {"F0 F1 SA1", "0SA0 RA0 F0 RA1 F1"}), 0),
            Texts{"SA0 of stage 0 is in the row of device 1, but device 0 holds that "
                  "stage"});
}

TEST(Links, AreNotBlamedForAReceiveBehindItsForward) {
  EXPECT_EQ(
      faults_at(forwards_from_rows(2, {"F0 SA0 F1 SA1", "F1 RA0 F0 RA1"}), 0),
      Texts{"device 1 is at F1 of stage 1, which waits for RA1 of stage 1 in the same "
            "row, which does not come before it"});
}

TEST(Links, LeadOnlyBetweenStagesOnTwoDevices) {
  const auto expect = [](const Schedule& schedule, const std::string& reason) {
    EXPECT_EQ(reasons(verify(schedule)), Texts{"the row of device " + reason});
  };
  expect(forwards_from_rows(1, {"RA0 F0 SA0", "RA0 F0"}),
         "0 holds RA0 of stage 0: there is no stage before it");
  expect(forwards_from_rows(1, {"F0 SA0", "RA0 F0 SA0"}),
         "1 holds SA0 of stage 1: there is no stage behind it");
  expect(from_rows(1, {"F0 SA0 RG0 B0 SG0 U0", "RA0 F0 B0 SG0 U0"}),
         "0 holds SG0 of stage 0: there is no stage before it");
  expect(from_rows(1, {"F0 SA0 RG0 B0 U0", "RA0 F0 RG0 B0 SG0 U0"}),
         "1 holds RG0 of stage 1: there is no stage behind it");
  expect(forwards_from_rows(1, {"0F0 0SA0 1F0"}, {0, 0}),
         "0 holds SA0 of stage 0: stage 1 is on the same device, and needs no message");
}

TEST(Links, ASendNeedsWhatItSends) {
  EXPECT_EQ(faults_at(forwards_from_rows(1, {"SA0 F0", "RA0 F0"}), 1),
            Texts{"device 0 is at SA0 of stage 0, which waits for F0 of stage 0 in the "
                  "same row, which does not come before it"});
  EXPECT_EQ(faults_at(forwards_from_rows(1, {"F0 SA0", "F0 RA0"}), 1),
            Texts{"device 1 is at F0 of stage 1, which waits for RA0 of stage 1 in the "
                  "same row, which does not come before it"});
  EXPECT_EQ(faults_at(forwards_from_rows(1, {"F0+SA0", "RA0 F0"}), 1).size(), 1U);
  EXPECT_EQ(faults_at(forwards_from_rows(1, {"F0 SA0", "RA0+F0"}), 1).size(), 1U);
}

// A device holds every p-th stage and does each stage's work in one go: stage by stage
// forwards, then back.
Schedule looped(std::int32_t p, std::int32_t v, std::int32_t m) {
  Schedule schedule;
  schedule.name = "looped";
  schedule.placement = loop_placement(p, v);
  schedule.micro_batches = m;
  schedule.rows.resize(static_cast<std::size_t>(p));
  for (std::int32_t s = 0; s < p * v; ++s) {
    for (std::int32_t k = 0; k < m; ++k) {
      schedule.rows[static_cast<std::size_t>(s % p)].push_back(
          {{ActionKind::Forward, 0, s, k}});
    }
  }
  for (std::int32_t s = p * v; s-- > 0;) {
    Row& row = schedule.rows[static_cast<std::size_t>(s % p)];
    for (std::int32_t k = 0; k < m; ++k)
      row.push_back({{ActionKind::Backward, 0, s, k}});
    row.push_back({{ActionKind::Update, 0, s, m - 1}});
  }
  return schedule;
}

TEST(Ring, OfSeveralStagesADeviceRunsAtEveryCapacity) {
  for (std::int32_t p = 1; p <= 4; ++p) {
    for (std::int32_t v = 1; v <= 3; ++v) {
      for (std::int32_t m = p; m <= 6; ++m) {
        const Schedule schedule = looped(p, v, m);
        EXPECT_EQ(faults_at(schedule, 0), Texts{});
        for (const std::int32_t buffers : {0, 1, m}) {
          EXPECT_EQ(faults_at(lower(schedule), buffers), Texts{})
              << "p=" << p << " v=" << v << " m=" << m;
        }
      }
    }
  }
}

TEST(Ring, NeedsRoomForWhatGoesRoundWhereReceivesStandLate) {
  // Device 0 takes nothing from the last device until its own m forwards are done.
  // Until then they must be somewhere: in the buffers of the p links, and two on each
  // other device, one that waits to be sent and one received in the same group.
  for (std::int32_t p = 2; p <= 4; ++p) {
    for (std::int32_t v = 2; v <= 3; ++v) {
      for (std::int32_t m = p; m <= 9; ++m) {
        const Schedule late = with_late_receives(lower(looped(p, v, m)));
        for (std::int32_t buffers = 0; buffers <= 8; ++buffers) {
          EXPECT_EQ(has(verify(late, {{}, buffers}), FaultKind::Blocked),
                    m > p * buffers + 2 * (p - 1))
              << "p=" << p << " v=" << v << " m=" << m << " buffers=" << buffers;
        }
      }
    }
  }
}

TEST(Ring, OfInterleavedStagesRunsAtEveryCapacity) {
  for (std::int32_t p = 1; p <= 4; ++p) {
    for (std::int32_t chunks = 2; chunks <= 3; ++chunks) {
      for (std::int32_t m = 1; m <= 9; ++m) {
        const auto schedule =
            generate("interleaved", {.shape = {p, m}, .chunks = chunks});
        ASSERT_TRUE(schedule);
        for (const std::int32_t buffers : {0, 1, 2}) {
          EXPECT_EQ(faults_at(lower(*schedule), buffers), Texts{})
              << "p=" << p << " v=" << chunks << " m=" << m << " buffers=" << buffers;
        }
      }
    }
  }
}

TEST(Ring, OfTwoKeepsPreviousAndNextApart) {
  // Device 1 sends to device 0 both activation 0 of stage 1 (to 2) and gradient 0 of
  // stage 1 (to 0); device 0 takes the gradients of stages 1 and 3, and the activation
  // of stage 1, from that one neighbour. Each link is a queue of its own.
  const Schedule schedule =
      from_rows(1,
                {"0F0 0SA0+2RA0 2F0 2SA0+2RG0 2B0 2SG0+0RG0 0B0 0U0 2U0",
                 "1RA0 1F0 1SA0+3RA0 3F0 3B0 3SG0+1RG0 1B0 1SG0 1U0 3U0"},
                {0, 1, 0, 1});
  EXPECT_EQ(faults_at(schedule, 0), Texts{});
  // Whichever is sent or asked for first.
  const Schedule turned =
      from_rows(1,
                {"0F0 2RA0+0SA0 2F0 2RG0+2SA0 2B0 0RG0+2SG0 0B0 0U0 2U0",
                 "1RA0 1F0 3RA0+1SA0 3F0 3B0 1RG0+3SG0 1B0 1SG0 1U0 3U0"},
                {0, 1, 0, 1});
  EXPECT_EQ(faults_at(turned, 0), Texts{});
}

TEST(Ring, OfTwoSaysWhichStagesWait) {
  // Stage 2 is asked for its input before stage 0 has sent; stage 1's device waits for
  // that in turn, but with its other stage.
  const Schedule schedule = from_rows(1,
                                      {"0F0 2RA0 0SA0 2F0 2SA0 2RG0 2B0 2SG0 0RG0 0B0 "
                                       "0U0 2U0",
                                       "3RA0 1RA0 1F0 1SA0 3F0 3B0 3SG0 1RG0 1B0 1SG0 "
                                       "1U0 3U0"},
                                      {0, 1, 0, 1});
  EXPECT_EQ(faults_at(schedule, 5),
            Texts{"stage 2 waits for activation 0 from 1; 3, on the device of 1, waits "
                  "for activation 0 from 2"});
}

// Stage by stage, but device 0 wants to run its second stage before its first.
Schedule long_circle(std::int32_t p) {
  Schedule schedule;
  schedule.name = "circle";
  schedule.placement = loop_placement(p, 2);
  schedule.micro_batches = 1;
  schedule.training = false;
  schedule.rows.resize(static_cast<std::size_t>(p));
  for (std::int32_t s = 0; s < 2 * p; ++s) {
    schedule.rows[static_cast<std::size_t>(s % p)].push_back(
        {{ActionKind::Forward, 0, s, 0}});
  }
  std::swap(schedule.rows[0][0], schedule.rows[0][1]);
  return schedule;
}

TEST(Ring, OfManyIsNamedWholeWhileItIsShort) {
  const Schedule schedule = long_circle(3);
  EXPECT_EQ(
      faults_at(schedule, 0),
      Texts{"device 0 is at F0 of stage 3, which waits for F0 of stage 2; device 2 "
            "is at F0 of stage 2, which waits for F0 of stage 1; device 1 is at F0 "
            "of stage 1, which waits for F0 of stage 0"});
  EXPECT_EQ(
      faults_at(lower(schedule), 9),
      Texts{"stage 3 waits for activation 0 from 2; 2 waits for activation 0 from "
            "1; 1 waits for activation 0 from 0, on the device of 3"});
}

TEST(Ring, OfManyMoreIsCutShort) {
  const Schedule schedule = long_circle(1000);
  for (const Schedule& s : {schedule, lower(schedule)}) {
    const Texts faults = faults_at(s, 0);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_LT(faults[0].size(), 3000U);
    EXPECT_NE(faults[0].find("; and so on, 1000 waits in all"), std::string::npos);
  }
}

TEST(WarmUp, WithoutTheCapNamesMicroBatchesThatAreNotThere) {
  // Stage s would warm up with p-1-s forwards, however few micro-batches there are.
  for (std::int32_t p = 2; p <= 8; ++p) {
    for (std::int32_t m = 1; m < p; ++m) {
      auto schedule = one_f_one_b({p, m, 1});
      ASSERT_TRUE(schedule);
      EXPECT_EQ(faults_at(lower(*schedule), 0), Texts{});
      Texts expected;
      for (std::int32_t s = 0; s < p; ++s) {
        Row& row = schedule->rows[static_cast<std::size_t>(s)];
        for (std::int32_t k = m; k < p - 1 - s; ++k) {
          row.insert(row.begin() + k, {{ActionKind::Forward, 0, s, k}});
          expected.push_back("the row of device " + std::to_string(s) + " holds F" +
                             std::to_string(k) + " of stage " + std::to_string(s) +
                             ": micro-batches run from 0 to " + std::to_string(m - 1));
        }
      }
      EXPECT_EQ(reasons(verify(*schedule)), expected);
    }
  }
}

TEST(WarmUp, ThatRunsFurtherAheadNeedsABufferOrEarlierReceives) {
  // Two forwards more than 1F1B's on the first of two stages.
  const std::string ahead =
      "F0 SA0 F1 SA1 F2 SA2 F3 SA3+RG0 B0 RG1 B1 RG2 B2 RG3 B3 U3";
  const Schedule late = from_rows(
      4, {ahead, "RA0 F0 B0 SG0+RA1 F1 B1 SG1+RA2 F2 B2 SG2+RA3 F3 B3 SG3 U3"});
  EXPECT_EQ(
      faults_at(late, 0),
      Texts{"stage 0 waits for 1 to receive activation 2; 1 waits for 0 to receive "
            "gradient 0"});
  EXPECT_EQ(faults_at(late, 1), Texts{});
  const Schedule early = from_rows(
      4, {ahead, "RA0 F0 RA1 B0 SG0+RA2 F1 RA3 B1 SG1 F2 B2 SG2 F3 B3 SG3 U3"});
  EXPECT_EQ(faults_at(early, 0), Texts{});
  const Schedule computations =
      from_rows(4, {"F0 F1 F2 F3 B0 B1 B2 B3 U3", "F0 B0 F1 B1 F2 B2 F3 B3 U3"});
  EXPECT_EQ(to_text(lower(computations)), to_text(early));
}

TEST(OneMicroBatch, RunsOnEveryScheduleAtRendezvous) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 12; ++p) {
      const auto schedule = generator.generate({{p, 1, 1}});
      if (!schedule) continue;  // forbidden: see generate_test.cpp
      EXPECT_EQ(faults_at(lower(*schedule), 0), Texts{});
    }
  }
}

// --- The words, as the watchdog of the runtime asks for them ---

TEST(WaitWords, SayWhoWaitsForWhat) {
  EXPECT_EQ(wait_in_words({ActionKind::ReceiveGradient, 0, 0, 0}),
            "stage 0 waits for gradient 0 from 1");
  EXPECT_EQ(wait_in_words({ActionKind::ReceiveActivation, 0, 3, 7}),
            "stage 3 waits for activation 7 from 2");
  EXPECT_EQ(wait_in_words({ActionKind::SendActivation, 0, 0, 2}),
            "stage 0 waits for 1 to receive activation 2");
  EXPECT_EQ(wait_in_words({ActionKind::SendGradient, 0, 2, 2}),
            "stage 2 waits for 1 to receive gradient 2");
}

std::string cycle_on(const Placement& placement, const std::vector<Action>& blocked) {
  Schedule schedule;
  schedule.placement = placement;
  return wait_cycle_in_words(schedule, blocked);
}

TEST(WaitWords, ShowTheCircleFromItsLowestDevice) {
  // Device 3 waits into the circle of 1 and 2, device 0 likewise; order does not
  // matter.
  EXPECT_EQ(cycle_on(one_stage_per_device(4), {{ActionKind::ReceiveActivation, 0, 3, 5},
                                               {ActionKind::ReceiveActivation, 0, 2, 4},
                                               {ActionKind::ReceiveGradient, 0, 0, 1},
                                               {ActionKind::ReceiveGradient, 0, 1, 2}}),
            "stage 1 waits for gradient 2 from 2; 2 waits for activation 4 from 1");
}

TEST(WaitWords, ShowTheSameCircleFromWhereverItIsEntered) {
  // Stage 3 is on device 0, which so waits into the circle at device 2.
  EXPECT_EQ(cycle_on({3, {0, 1, 2, 0}}, {{ActionKind::ReceiveActivation, 0, 3, 0},
                                         {ActionKind::ReceiveActivation, 0, 2, 4},
                                         {ActionKind::ReceiveGradient, 0, 1, 2}}),
            "stage 1 waits for gradient 2 from 2; 2 waits for activation 4 from 1");
}

TEST(WaitWords, FollowTheSecondWaitOfADeviceWhereTheFirstLeadsNowhere) {
  // Device 0 computes, and waits for nobody.
  EXPECT_EQ(
      cycle_on(one_stage_per_device(3), {{ActionKind::ReceiveActivation, 0, 1, 3},
                                         {ActionKind::ReceiveGradient, 0, 1, 0},
                                         {ActionKind::ReceiveActivation, 0, 2, 3}}),
      "stage 1 waits for gradient 0 from 2; 2 waits for activation 3 from 1");
}

TEST(WaitWords, FindEachCopyOnItsOwnDevices) {
  // Micro-batches 2 and 3 run on the second copy, which runs from device 2 to 0.
  Schedule schedule;
  schedule.placement = two_way_placement(3);
  schedule.micro_batches = 4;
  const std::vector<Action> blocked{{ActionKind::ReceiveActivation, 0, 1, 2},
                                    {ActionKind::ReceiveGradient, 0, 0, 3}};
  EXPECT_EQ(wait_cycle_in_words(schedule, blocked),
            "stage 1 waits for activation 2 from 0; 0 waits for gradient 3 from 1");
}

TEST(WaitWords, NameTheSlice) {
  EXPECT_EQ(wait_in_words({ActionKind::ReceiveActivation, 2, 1, 3}),
            "stage 1 waits for activation 3.2 from 0");
}

TEST(WaitWords, ListTheWaitsWhereThereIsNoCircle) {
  EXPECT_EQ(
      cycle_on(one_stage_per_device(3), {{ActionKind::ReceiveActivation, 0, 2, 1},
                                         {ActionKind::ReceiveActivation, 0, 1, 1}}),
      "stage 1 waits for activation 1 from 0; 2 waits for activation 1 from 1");
  EXPECT_EQ(cycle_on(one_stage_per_device(3), {}), "");
}

TEST(WaitWords, SkipWhatIsNoWaitAndBoundALongList) {
  const Placement placement = one_stage_per_device(100);
  std::vector<Action> blocked{{ActionKind::Forward, 0, 1, 1},
                              {ActionKind::ReceiveActivation, 0, 0, 1},
                              {ActionKind::ReceiveGradient, 0, 99, 1},
                              {ActionKind::SendActivation, 0, 5000, 1},
                              {ActionKind::SendActivation, 0, -1, 1}};
  EXPECT_EQ(cycle_on(placement, blocked), "");
  for (std::int32_t s = 1; s < 100; ++s) {
    blocked.push_back({ActionKind::ReceiveActivation, 0, s, 0});
  }
  const std::string words = cycle_on(placement, blocked);
  EXPECT_NE(words.find("; and so on, 99 waits in all"), std::string::npos) << words;
  EXPECT_LT(words.size(), 2000U);
}

}  // namespace
}  // namespace pipeline
