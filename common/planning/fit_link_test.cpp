#include "planning/fit_link.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pipeline {
namespace {

std::vector<MeasuredCopy> copies_on(const LinkCosts& link) {
  std::vector<MeasuredCopy> copies;
  for (int size = 10; size <= 26; size += 2) {  // 1 KiB to 64 MiB
    const double bytes = 1 << size;
    copies.push_back({bytes, link.latency + bytes / link.bandwidth});
  }
  return copies;
}

/// What is minimised: the squares of the relative errors.
double error_of(const std::vector<MeasuredCopy>& copies, const LinkCosts& link) {
  double sum = 0;
  for (const auto& [bytes, seconds] : copies) {
    sum += std::pow((link.latency + bytes / link.bandwidth) / seconds - 1, 2);
  }
  return sum;
}

TEST(FitLink, FindsTheLinkThatTheCopiesCameFrom) {
  for (const LinkCosts& link : {LinkCosts{2e-6, 12e9}, LinkCosts{1e-3, 1e9}}) {
    const auto found = fit_link(copies_on(link));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->latency, link.latency, 1e-9 * link.latency);
    EXPECT_NEAR(found->bandwidth, link.bandwidth, 1e-9 * link.bandwidth);
  }
}

TEST(FitLink, FindsTheLeastErrorOfNoisyCopies) {
  auto copies = copies_on({5e-6, 4e9});
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i].seconds *= 1 + 0.2 * std::sin(static_cast<double>(3 * i + 1));
  }
  const auto best = fit_link(copies);
  ASSERT_TRUE(best);
  const double least = error_of(copies, *best);
  for (const double step : {0.99, 1.01}) {
    EXPECT_GT(error_of(copies, {best->latency * step, best->bandwidth}), least);
    EXPECT_GT(error_of(copies, {best->latency, best->bandwidth * step}), least);
  }
}

TEST(FitLink, IsNeverBelowNothing) {
  const auto through_origin = fit_link(std::vector<MeasuredCopy>{{1, 1}, {2, 5}});
  ASSERT_TRUE(through_origin);
  EXPECT_EQ(through_origin->latency, 0);
  EXPECT_GT(through_origin->bandwidth, 0);
  const auto falls = fit_link(std::vector<MeasuredCopy>{{1, 3}, {2, 2}});
  ASSERT_TRUE(falls);
  EXPECT_EQ(falls->bandwidth, 0);
  EXPECT_GT(falls->latency, 2);
  EXPECT_LT(falls->latency, 3);
}

TEST(FitLink, RefusesWhatHasNoSlope) {
  EXPECT_FALSE(fit_link({}));
  EXPECT_FALSE(fit_link(std::vector<MeasuredCopy>{{8, 1}, {8, 2}}));
  EXPECT_FALSE(fit_link(std::vector<MeasuredCopy>{{0, 1}, {8, 2}}));
  EXPECT_FALSE(fit_link(std::vector<MeasuredCopy>{{4, NAN}, {8, 2}}));
  EXPECT_FALSE(fit_link(std::vector<MeasuredCopy>{{4, INFINITY}, {8, 2}}));
}

TEST(HalfRateBytes, TakeTwiceAsLongAsAtFullBandwidth) {
  const LinkCosts link = {3e-6, 2e9};
  const double bytes = half_rate_bytes(link);
  EXPECT_DOUBLE_EQ(bytes / (link.latency + bytes / link.bandwidth), 1e9);
}

}  // namespace
}  // namespace pipeline
