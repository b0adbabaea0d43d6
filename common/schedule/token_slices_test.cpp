#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

std::string row_text(const Schedule& schedule, std::size_t device) {
  std::string text;
  for (const Entry& entry : schedule.rows[device]) {
    text += (text.empty() ? "" : " ") + to_text(entry.action, false);
  }
  return text;
}

TEST(TokenSlices, GoForwardInOrderAndBackwardInReverse) {
  const auto schedule = token_slices({2, 2, 1}, {3});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->slices, (std::vector<std::int32_t>{3, 3}));
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(row_text(*schedule, d),
              "F0 F0.1 F0.2 F1 F1.1 F1.2 B0.2 B0.1 B0 B1.2 B1.1 B1 U1");
  }
}

TEST(TokenSlices, MayDifferInNumberFromMicroBatchToMicroBatch) {
  const auto schedule = token_slices({1, 3, 2}, {2, 1, 3});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "F0 F0.1 F1 F2 F2.1 F2.2 B0.1 B0 B1 B2.2 B2.1 B2 U2 "
            "F3 F3.1 F4 F5 F5.1 F5.2 B3.1 B3 B4 B5.2 B5.1 B5 U5");
}

TEST(TokenSlices, AreFourWhereNothingIsSaid) {
  const auto schedule = generate("token-slices", {.shape = {2, 3, 1}});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->slices, (std::vector<std::int32_t>{4, 4, 4}));
}

TEST(TokenSlices, OfOneAreGPipe) {
  const auto uncut = token_slices({3, 5, 2}, {1});
  const auto by_gpipe = gpipe({3, 5, 2});
  ASSERT_TRUE(uncut && by_gpipe);
  EXPECT_EQ(uncut->rows, by_gpipe->rows);
}

TEST(TokenSlices, RefuseCountsThatMakeNoSense) {
  EXPECT_EQ(token_slices({2, 3, 1}, {0}).error().what,
            "slices must be at least 1, but 0 was asked for");
  EXPECT_EQ(token_slices({2, 3, 1}, {2, 2, 40'000}).error().what,
            "slices may be at most 32767, but 40000 was asked for");
  const auto two = token_slices({2, 3, 1}, {4, 4});
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().what.find("for 3 micro-batches"), std::string::npos);
  const auto many = token_slices({1024, 1024, 1}, {1000});
  ASSERT_FALSE(many);
  EXPECT_NE(many.error().what.find("is more than 67108864 actions"), std::string::npos);
}

}  // namespace
}  // namespace pipeline
