#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter16, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 16", run.output,
                                 PageShows::Words),
            "");
}

void expect_training(std::int32_t p, std::int32_t m) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM,
      with_images({"-p", std::to_string(p), "-m", std::to_string(m), "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 8U) << run.output;
  const double runs = p > 1 ? 4 : 0;
  EXPECT_EQ(rows[0].predicted, runs);
  EXPECT_EQ(rows[0].measured, runs);
  EXPECT_EQ(rows[1].predicted, std::min(p, m)) << rows[1].what;
  EXPECT_EQ(rows[1].measured, std::min(p, m)) << rows[1].what;
  EXPECT_EQ(rows[2].predicted, std::min(2 * p - 1, m)) << rows[2].what;
  EXPECT_EQ(rows[2].measured, std::min(2 * p - 1, m)) << rows[2].what;
  EXPECT_LE(rows[3].predicted, p) << rows[3].what;
  EXPECT_EQ(rows[3].measured, rows[3].predicted) << rows[3].what;
}

TEST(Chapter16, TrainsTheWeightsOfOneDeviceAndHoldsWhatItPredicts) {
  expect_training(4, 8);
}

TEST(Chapter16, TrainsThemWithFewerMicroBatchesThanDevicesToo) {
  expect_training(4, 2);
}

TEST(Chapter16, TrainsThemOnOneDevice) { expect_training(1, 3); }

}  // namespace
}  // namespace pipeline
