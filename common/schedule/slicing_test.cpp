#include "schedule/slicing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace pipeline {
namespace {

// A different number at every call, and the same ones in every run.
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return 1 + static_cast<double>(state_ >> 40) / (1 << 20);
  }

 private:
  std::uint64_t state_ = 7;
};

SliceTimes any_times(std::int32_t length, Numbers& numbers) {
  SliceTimes times(length);
  for (std::int32_t context = 0; context < length; ++context) {
    for (std::int32_t tokens = 1; tokens <= length - context; ++tokens) {
      times.set(tokens, context, numbers.next());
    }
  }
  return times;
}

double total_of(const std::vector<double>& times, std::int32_t devices) {
  return std::accumulate(times.begin(), times.end(), 0.0) +
         (devices - 1) * *std::max_element(times.begin(), times.end());
}

// Every way to cut: bit i of `cuts` says whether one is after token i.
std::vector<std::vector<double>> every_cut(const SliceTimes& times) {
  std::vector<std::vector<double>> all;
  const std::int32_t length = times.length();
  for (std::uint32_t cuts = 0; cuts < (1U << (length - 1)); ++cuts) {
    std::vector<double> slices;
    std::int32_t begin = 0;
    for (std::int32_t end = 1; end <= length; ++end) {
      if (end < length && (cuts >> (end - 1) & 1U) == 0) continue;
      slices.push_back(times.of(end - begin, begin));
      begin = end;
    }
    all.push_back(slices);
  }
  return all;
}

double least_by_trying(const SliceTimes& times, std::int32_t devices) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& slices : every_cut(times)) {
    least = std::min(least, total_of(slices, devices));
  }
  return least;
}

// Every way to split `batch` sequences into parts no larger than `most`, each with
// every way to cut it; `slices` are those chosen so far.
double least_by_trying(const std::vector<SliceTimes>& times, std::size_t batch,
                       std::size_t most, std::vector<double>& slices,
                       std::int32_t devices) {
  if (batch == 0) return total_of(slices, devices);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t part = 1; part <= std::min(batch, most); ++part) {
    for (const auto& cut : every_cut(times[part - 1])) {
      slices.insert(slices.end(), cut.begin(), cut.end());
      least =
          std::min(least, least_by_trying(times, batch - part, part, slices, devices));
      slices.resize(slices.size() - cut.size());
    }
  }
  return least;
}

TEST(Slicing, IsTheBestThereIs) {
  Numbers numbers;
  for (std::int32_t length = 1; length <= 9; ++length) {
    for (const std::int32_t devices : {1, 2, 3, 8}) {
      const SliceTimes times = any_times(length, numbers);
      const auto best = best_slicing(times, devices);
      ASSERT_TRUE(best);
      EXPECT_NEAR(best->total, least_by_trying(times, devices), 1e-12);
    }
  }
}

TEST(Slicing, SaysWhatItCutAndWhatThatTakes) {
  Numbers numbers;
  const SliceTimes times = any_times(12, numbers);
  const auto best = best_slicing(times, 4);
  ASSERT_TRUE(best);
  ASSERT_EQ(best->lengths.size(), best->times.size());
  std::int32_t context = 0;
  for (std::size_t i = 0; i < best->lengths.size(); ++i) {
    EXPECT_EQ(best->times[i], times.of(best->lengths[i], context));
    context += best->lengths[i];
  }
  EXPECT_EQ(context, 12);
  EXPECT_NEAR(best->total, total_of(best->times, 4), 1e-12);
}

TEST(Slicing, LeavesOneDeviceItsSequenceWhole) {
  const auto best = best_slicing(slice_times(16, {1, 1, 0.1}), 1);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->lengths, (std::vector<std::int32_t>{16}));
}

TEST(Slicing, CutsEvenlyWhereContextCostsNothing) {
  // 16 tokens on 5 devices, with 1 for any slice: n slices take n + 16 + 4(1 + 16/n).
  const auto best = best_slicing(slice_times(16, {1, 1, 0}), 5);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->lengths, (std::vector<std::int32_t>{2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(best->total, 8 + 16 + 4 * 3);
}

TEST(Slicing, MakesLaterSlicesShorterWhereTheyAttendToMore) {
  const auto best = best_slicing(slice_times(64, {2, 1, 0.25}), 8);
  ASSERT_TRUE(best);
  ASSERT_GT(best->lengths.size(), 3U);
  EXPECT_TRUE(std::is_sorted(best->lengths.rbegin(), best->lengths.rend()));
  EXPECT_GT(best->lengths.front(), 2 * best->lengths.back());
}

TEST(Slicing, WithAToleranceIsWorseByNoMoreThanItSays) {
  Numbers numbers;
  for (const double tolerance : {0.05, 0.5, 2.0}) {
    for (const std::int32_t devices : {2, 6}) {
      const SliceTimes times = any_times(14, numbers);
      const auto best = best_slicing(times, devices);
      const auto quick = best_slicing(times, devices, {tolerance});
      ASSERT_TRUE(best && quick);
      EXPECT_LE(quick->total, best->total + (devices - 1) * tolerance + 1e-12);
      EXPECT_GE(quick->total, best->total - 1e-12);
    }
  }
}

TEST(BatchSlicing, IsTheBestThereIs) {
  Numbers numbers;
  for (std::int32_t length = 1; length <= 4; ++length) {
    for (std::size_t batch = 1; batch <= 4; ++batch) {
      for (const std::int32_t devices : {1, 2, 5}) {
        std::vector<SliceTimes> times;
        for (std::size_t b = 1; b <= batch; ++b) {
          times.push_back(any_times(length, numbers));
        }
        const auto best = best_batch_slicing(times, devices);
        ASSERT_TRUE(best);
        std::vector<double> none;
        EXPECT_NEAR(best->total, least_by_trying(times, batch, batch, none, devices),
                    1e-12);
      }
    }
  }
}

TEST(BatchSlicing, SplitsUnevenlyAndSlicesInOneSchedule) {
  // Two sequences together cost little more than one, three much more.
  std::vector<SliceTimes> times;
  for (const double rows : {1.0, 1.2, 4.0, 8.0, 16.0}) {
    times.push_back(slice_times(6, {0.5, rows, 0.2 * rows}));
  }
  const auto best = best_batch_slicing(times, 4);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->rows, (std::vector<std::int32_t>{2, 2, 1}));
  std::vector<double> all;
  for (const Slicing& slicing : best->slicings) {
    EXPECT_EQ(std::accumulate(slicing.lengths.begin(), slicing.lengths.end(), 0), 6);
    EXPECT_GT(slicing.lengths.size(), 1U);
    all.insert(all.end(), slicing.times.begin(), slicing.times.end());
  }
  EXPECT_NEAR(best->total, total_of(all, 4), 1e-12);
}

TEST(Slicing, RefusesWhatIsNoTime) {
  SliceTimes times = slice_times(3, {1, 1, 0});
  times.set(2, 1, -1);
  const auto negative = best_slicing(times, 2);
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().what,
            "the time of 2 tokens after 1 is negative or not finite");
  times.set(2, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(best_slicing(times, 2));
  EXPECT_EQ(best_slicing(slice_times(3, {1, 1, 0}), 0).error().what,
            "devices must be at least 1, but 0 was asked for");
  EXPECT_FALSE(best_batch_slicing({}, 2));
  EXPECT_EQ(best_batch_slicing({SliceTimes(3), SliceTimes(4)}, 2).error().what,
            "the sequences differ in length: 3 and 4");
}

TEST(Slicing, RefusesASearchThatWouldNotEnd) {
  Numbers numbers;
  const SliceTimes times = any_times(600, numbers);
  const auto slow = best_slicing(times, 4);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().remedy,
            "count tokens in coarser units, or give a larger tolerance");
  EXPECT_TRUE(best_slicing(times, 4, {1.0}));
  // So is one over many sequences, however short.
  std::vector<SliceTimes> batch;
  batch.reserve(5000);
  for (std::int32_t b = 0; b < 5000; ++b) batch.push_back(any_times(1, numbers));
  EXPECT_FALSE(best_batch_slicing(batch, 4));
}

}  // namespace
}  // namespace pipeline
