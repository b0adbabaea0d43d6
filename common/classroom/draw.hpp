/// \file
/// Inputs that the tests of an exercise draw, beside those that they name. At home the
/// seed is always the same, so that a failure stays what it is; `./workbook grade` has
/// a secret one, so that answers to the drawn inputs cannot be learned by heart.
///
/// In the test.cpp of an exercise each function of the contract has tests on inputs
/// that are named there, whose messages teach, and one on drawn inputs, with the same
/// checks:
///
///     TEST(TickCount, HoldsForDrawnSizesToo) {
///       POINTS(1);  // points.hpp
///       Draw draw;
///       expect_walked_ticks(draw_sizes(draw, 40, {2, 13}, {40, 120}));
///     }
///
/// Each call is a message between two processes when it is graded: some thousand a test
/// are fine. The solution must pass with every seed: try a few hundred.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pipeline {

/// The environment variable that holds the seed, any text.
inline constexpr const char* kSeedVariable = "WORKBOOK_SEED";

/// Draws inputs of a test. Two tests draw different ones, and so do two seeds. The test
/// is marked as one that drew: its messages may name what nobody is to know, so that
/// the grader shows them to no student.
class Draw {
 public:
  /// In the body of a test; its seed is made of the test's name and the secret one.
  Draw() {
    const testing::TestInfo& test =
        *testing::UnitTest::GetInstance()->current_test_info();
    const char* secret = std::getenv(kSeedVariable);
    const std::string text = std::string(secret == nullptr ? "home" : secret) + "/" +
                             test.test_suite_name() + "." + test.name();
    std::seed_seq seed(text.begin(), text.end());
    random_.seed(seed);
    testing::Test::RecordProperty("drawn", 1);
  }

  /// A whole number from `least` to `most`. The same on every standard library.
  std::int32_t between(std::int32_t least, std::int32_t most) {
    const auto range = static_cast<std::uint64_t>(most - least) + 1;
    return least + static_cast<std::int32_t>(random_() % range);
  }

  /// A number in quarters, so that sums of a few are exact.
  double quarters(std::int32_t least, std::int32_t most) {
    return 0.25 * between(4 * least, 4 * most);
  }

  /// `count` of those.
  std::vector<double> quarters(std::int32_t count, std::int32_t least,
                               std::int32_t most) {
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) numbers.push_back(quarters(least, most));
    return numbers;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace pipeline
