#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter14, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 14", run.output,
                                 PageShows::Words),
            "");
}

/// `group` is the size of the first one.
void expect_training(std::int32_t p, std::int32_t m, std::int32_t v,
                     std::int32_t group) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM, with_images({"-p", std::to_string(p), "-m", std::to_string(m),
                                    "-v", std::to_string(v), "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 4 + static_cast<std::size_t>(p)) << run.output;
  const double runs = p > 1 ? 2 : 0;
  EXPECT_EQ(rows[0].predicted, runs);
  EXPECT_EQ(rows[0].measured, runs);
  EXPECT_DOUBLE_EQ(rows[1].predicted, (p - 1.0) / (v * m));
  if (m % p == 0) {
    EXPECT_DOUBLE_EQ(rows[1].measured, rows[1].predicted);
  } else {
    EXPECT_GE(rows[1].measured, rows[1].predicted);
  }
  for (std::int32_t r = 0; r < p; ++r) {
    const PrintedRow& held = rows[4 + static_cast<std::size_t>(r)];
    EXPECT_EQ(held.predicted, std::min(2 * (p - 1 - r) + (v - 1) * group + 1, v * m))
        << held.what;
    EXPECT_EQ(held.measured, held.predicted) << held.what;
  }
}

TEST(Chapter14, TrainsTheWeightsOfOneDeviceAndHoldsWhatItPredicts) {
  expect_training(4, 8, 2, 4);
}

TEST(Chapter14, TrainsThemWithMicroBatchesLeftOver) { expect_training(3, 7, 3, 4); }

TEST(Chapter14, TrainsThemWithFewerMicroBatchesThanDevicesToo) {
  expect_training(4, 2, 2, 2);
}

TEST(Chapter14, TrainsThemOnOneDevice) { expect_training(1, 3, 2, 1); }

}  // namespace
}  // namespace pipeline
