#include "schedule/zero_bubble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

std::string row_text(const Schedule& schedule, std::size_t device) {
  std::string text;
  for (const Entry& entry : schedule.rows[device]) {
    text += (text.empty() ? "" : " ") + to_text(entry.action, false);
  }
  return text;
}

std::int32_t most_held(const Row& row) {
  std::int32_t held = 0;
  std::int32_t most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) most = std::max(most, ++held);
    if (entry.action.kind == ActionKind::WeightGradient) --held;
  }
  return most;
}

TEST(ZeroBubble, H1KeepsBackAsManyWeightGradientsAsStagesLieBefore) {
  const auto schedule = zb_h1({3, 5, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0), "F0 F1 F2 I0 W0 F3 I1 W1 F4 I2 W2 I3 W3 I4 W4 U4");
  EXPECT_EQ(row_text(*schedule, 1), "F0 F1 I0 F2 I1 W0 F3 I2 W1 F4 I3 W2 I4 W3 W4 U4");
  EXPECT_EQ(row_text(*schedule, 2), "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 F4 I4 W2 W3 W4 U4");
}

TEST(ZeroBubble, H2StartsWithAlmostTwiceTheForwards) {
  const auto schedule = zb_h2({3, 6, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "F0 F1 F2 F3 F4 I0 W0 F5 I1 W1 I2 W2 I3 W3 I4 W4 I5 W5 U5");
  EXPECT_EQ(row_text(*schedule, 1),
            "F0 F1 F2 I0 F3 I1 F4 I2 W0 F5 I3 W1 I4 W2 I5 W3 W4 W5 U5");
  EXPECT_EQ(row_text(*schedule, 2),
            "F0 I0 F1 I1 F2 I2 F3 I3 F4 I4 W0 F5 I5 W1 W2 W3 W4 W5 U5");
}

TEST(ZeroBubble, H1HoldsPActivationsAndH2TwoPMinusOneOnEveryDevice) {
  for (std::int32_t p = 1; p <= 9; ++p) {
    for (std::int32_t m = 1; m <= 20; ++m) {
      const auto h1 = zb_h1({p, m, 2});
      const auto h2 = zb_h2({p, m, 2});
      ASSERT_TRUE(h1 && h2);
      for (const Row& row : h1->rows) EXPECT_EQ(most_held(row), std::min(p, m));
      for (const Row& row : h2->rows) EXPECT_EQ(most_held(row), std::min(2 * p - 1, m));
    }
  }
}

TEST(ZeroBubble, IsValidAtEverySize) {
  for (const bool global_norm : {false, true}) {
    for (std::int32_t p = 1; p <= 9; ++p) {
      for (std::int32_t m = 1; m <= 20; ++m) {
        for (const auto& schedule :
             {zb_h1({p, m, 3, global_norm}), zb_h2({p, m, 3, global_norm})}) {
          ASSERT_TRUE(schedule);
          const auto faults = verify(*schedule);
          EXPECT_TRUE(faults.empty()) << schedule->name << " p=" << p << " m=" << m
                                      << ": " << faults.front().reason;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
