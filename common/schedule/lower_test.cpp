#include "schedule/lower.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::from_rows;

std::vector<std::string> row_texts(const Schedule& schedule) {
  std::vector<std::string> rows;
  const std::string text = to_text(schedule);
  for (std::size_t at = text.find("row "); at != text.npos;
       at = text.find("row ", at)) {
    at = text.find(": ", at) + 2;
    rows.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return rows;
}

TEST(Lower, PutsReceivesBeforeAndSendsAfterAndJoinsWhatMeets) {
  const auto schedule = one_f_one_b({3, 4, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(
      row_texts(lower(*schedule)),
      (std::vector<std::string>{
          "F0 SA0 F1 SA1 F2 SA2+RG0 B0 F3 SA3+RG1 B1 RG2 B2 RG3 B3 U3",
          "RA0 F0 SA0+RA1 F1 SA1+RG0 B0 SG0+RA2 F2 SA2+RG1 B1 SG1+RA3 F3 SA3+RG2 B2 "
          "SG2+RG3 B3 SG3 U3",
          "RA0 F0 B0 SG0+RA1 F1 B1 SG1+RA2 F2 B2 SG2+RA3 F3 B3 SG3 U3"}));
}

TEST(Lower, SendsNothingInsideADevice) {
  // Stages 0 and 1 on device 0, 2 and 3 on device 1.
  const Schedule schedule = from_rows(
      1, {"0F0 1F0 1B0 0B0 0U0 1U0", "2F0 3F0 3B0 2B0 2U0 3U0"}, {0, 0, 1, 1});
  EXPECT_EQ(row_texts(lower(schedule)),
            (std::vector<std::string>{"0F0 1F0 1SA0+1RG0 1B0 0B0 0U0 1U0",
                                      "2RA0 2F0 3F0 3B0 2B0 2SG0 2U0 3U0"}));
  const auto alone = one_f_one_b({1, 4, 1});
  ASSERT_TRUE(alone);
  EXPECT_EQ(lower(*alone), *alone);
  EXPECT_FALSE(is_lowered(lower(*alone)));
}

TEST(Lower, ServesBothActionsOfAnOverlappedPair) {
  const Schedule schedule =
      from_rows(2, {"F0 F1 B0 B1 U1", "F0 F1+B0 B1 U1", "F0 B0 F1 B1 U1"});
  EXPECT_EQ(row_texts(lower(schedule))[1],
            "RA0 F0 SA0+RA1+RG0 F1+B0 SA1+SG0+RG1 B1 SG1 U1");
}

TEST(Lower, SendsTheInputGradientAndKeepsTheWeightGradient) {
  const Schedule schedule =
      from_rows(1, {"F0 I0 W0 U0", "F0 R0 I0 W0 U0", "F0 I0 W0 U0"});
  EXPECT_EQ(
      row_texts(lower(schedule)),
      (std::vector<std::string>{"F0 SA0+RG0 I0 W0 U0", "RA0 F0 SA0 R0 RG0 I0 SG0 W0 U0",
                                "RA0 F0 I0 SG0 W0 U0"}));
}

TEST(Lower, LeavesALoweredScheduleAsItIs) {
  const auto schedule = one_f_one_b({3, 4, 2});
  ASSERT_TRUE(schedule);
  EXPECT_FALSE(is_lowered(*schedule));
  const Schedule lowered = lower(*schedule);
  EXPECT_TRUE(is_lowered(lowered));
  EXPECT_EQ(lower(lowered), lowered);
}

TEST(Lower, SendsBetweenTheDevicesOfOneCopy) {
  Schedule schedule = from_rows(
      2, {"0F0 1F1 1B1 0B0 0AR0 1AR1 0U0 1U1", "0F1 1F0 1B0 0B1 0AR1 1AR0 0U1 1U0"});
  schedule.placement = two_way_placement(2);
  // Micro-batch 0 runs down the devices, micro-batch 1 up, at the same time.
  EXPECT_EQ(row_texts(lower(schedule)),
            (std::vector<std::string>{
                "0F0 0SA0+1RA1 1F1 1B1 1SG1+0RG0 0B0 0AR0 1AR1 0U0 1U1",
                "0F1 0SA1+1RA0 1F0 1B0 1SG0+0RG1 0B1 0AR1 1AR0 0U1 1U0"}));
}

TEST(Lower, SendsNothingWhereACopyIsOnOneDevice) {
  Schedule schedule = from_rows(2, {"0F0 0B0 0AR0 0U0 0F1 0B1", "1F0 1B0 1AR0 1U0"});
  schedule.placement = {2, {0, 1}, {0, 0}};
  const std::string text = to_text(lower(schedule));
  EXPECT_EQ(text.find("SA1"), std::string::npos) << text;
  EXPECT_NE(text.find("SA0"), std::string::npos) << text;
}

TEST(Lower, SendsEachSlice) {
  Schedule schedule = from_rows(1, {"F0 F0.1 B0.1 B0 U0", "F0 F0.1 B0.1 B0 U0"});
  schedule.slices = {2};
  EXPECT_EQ(row_texts(lower(schedule)),
            (std::vector<std::string>{"F0 SA0 F0.1 SA0.1+RG0.1 B0.1 RG0 B0 U0",
                                      "RA0 F0 RA0.1 F0.1 B0.1 SG0.1 B0 SG0 U0"}));
}

TEST(Lower, ReceivesInTheOrderOfTheSendsWhateverIsNeededFirst) {
  // Stage 1 runs the micro-batches from the last to the first.
  const Schedule schedule =
      from_rows(3, {"F0 F1 F2 B2 B1 B0 U2", "F2 F1 F0 B2 B1 B0 U2"});
  const Schedule lowered = lower(schedule);
  EXPECT_EQ(row_texts(lowered)[1].substr(0, 15), "RA0+RA1+RA2 F2 ");
  EXPECT_EQ(test::reasons(verify(lowered)), std::vector<std::string>{});
}

TEST(Lower, PutsReceivesRightBeforeWhatNeedsThemWhereRowsHaveAFault) {
  const Schedule schedule = from_rows(2, {"F0 F1 B0 B1 U1", "F0 B1 F1 B0 U1"});
  EXPECT_EQ(row_texts(lower(schedule))[1], "RA0 F0 B1 SG1+RA1 F1 B0 SG0 U1");
}

TEST(Lower, KeepsTheComputationsAndCountsTheMessages) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 12; ++p) {
      for (std::int32_t m = 1; m <= 12; ++m) {
        const auto schedule = generator.generate({{p, m, 1}});
        if (!schedule) continue;  // forbidden: see generate_test.cpp
        const Schedule lowered = lower(*schedule);
        std::map<ActionKind, std::int32_t> messages;
        for (std::size_t d = 0; d < lowered.rows.size(); ++d) {
          Row computations;
          for (const Entry& entry : lowered.rows[d]) {
            if (is_communication(entry.action.kind)) {
              ++messages[entry.action.kind];
            } else {
              computations.push_back(entry);
            }
          }
          EXPECT_EQ(computations, schedule->rows[d]);
        }
        std::int32_t links = 0;
        for (std::int32_t s = 0; s + 1 < schedule->stages(); ++s) {
          for (std::int32_t k = 0; k < m; ++k) {
            const bool crosses =
                schedule->device_of(s, k) != schedule->device_of(s + 1, k);
            links += crosses ? schedule->slices_of(k) : 0;
          }
        }
        EXPECT_EQ(messages[ActionKind::SendActivation], links);
        EXPECT_EQ(messages[ActionKind::ReceiveActivation], links);
        EXPECT_EQ(messages[ActionKind::SendGradient], schedule->training ? links : 0);
        EXPECT_EQ(messages[ActionKind::ReceiveGradient],
                  schedule->training ? links : 0);
      }
    }
  }
}

void expect_valid_at_every_capacity(const Schedule& schedule) {
  const Schedule lowered = lower(schedule);
  for (const std::int32_t buffers : {0, 1, 2, 100}) {
    ASSERT_EQ(test::reasons(verify(lowered, {{}, buffers})), std::vector<std::string>{})
        << to_text(lowered) << "buffers: " << buffers;
  }
}

TEST(Lower, NeverHangsForAnyGeneratorAtAnyCapacity) {
  const bool full = in_full_tier();
  for (const Generator& generator : generators()) {
    int accepted = 0;
    for (std::int32_t p = 1; p <= (full ? 16 : 8); ++p) {
      for (std::int32_t m = 1; m <= (full ? 35 : 12); ++m) {
        // One step, and two with a barrier between them.
        for (const std::int32_t steps : {1, 2}) {
          const auto schedule = generator.generate({{p, m, steps, steps > 1}});
          if (!schedule) continue;  // forbidden: see generate_test.cpp
          expect_valid_at_every_capacity(*schedule);
          ++accepted;
        }
      }
    }
    EXPECT_GT(accepted, 3) << generator.name;
  }
}

TEST(Lower, NeverHangsForAnyValidScheduleAtAnyCapacity) {
  const bool full = in_full_tier();
  test::Random random(11);
  for (int round = full ? 100'000 : 1'000; round > 0; --round) {
    const Schedule schedule = random.one_in(4) ? test::random_generated(random)
                                               : test::random_schedule(random);
    ASSERT_EQ(test::reasons(verify(schedule)), std::vector<std::string>{})
        << to_text(schedule);
    expect_valid_at_every_capacity(schedule);
  }
}

TEST(Lower, GivesNoMessagesToStagesThatDoNotExist) {
  Schedule schedule = from_rows(1, {"F0 B0 U0", "F0 B0 U0"});
  schedule.rows[0].push_back({{ActionKind::Forward, 0, 7, 0}});
  schedule.rows[0].push_back({{ActionKind::Backward, 0, -7, 0}});
  EXPECT_EQ(row_texts(lower(schedule))[0], "F0 SA0+RG0 B0 U0 7F0 -7B0");
}

}  // namespace
}  // namespace pipeline
