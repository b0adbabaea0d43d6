#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter13, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, with_images());
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 13", run.output,
                                 PageShows::Words),
            "");
}

void expect_training(int p, int m, int runs) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM,
      with_images({"-p", std::to_string(p), "-m", std::to_string(m), "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 4 + static_cast<std::size_t>(p)) << run.output;
  EXPECT_EQ(complaint_about_training(rows, runs), "");
  for (int s = 0; s < p; ++s) {
    const PrintedRow& held = rows[4 + static_cast<std::size_t>(s)];
    EXPECT_EQ(held.what,
              "micro-batches held by device " + std::to_string(s) + ": p-s, or m");
    EXPECT_EQ(held.predicted, std::min(p - s, m));
    EXPECT_EQ(held.measured, std::min(p - s, m));
  }
}

// GPipe on 4, and 1F1B on 2 and on 4, each at m=2 and at m=8.
TEST(Chapter13, TrainsTheWeightsOfOneDeviceAndHoldsWhatItPredicts) {
  expect_training(4, 8, 6);
}

// GPipe and 1F1B on 3, and 1F1B on 2, at m=1 and at m=2.
TEST(Chapter13, TrainsThemWithFewerMicroBatchesThanDevicesToo) {
  expect_training(3, 2, 4 + 2);
}

}  // namespace
}  // namespace pipeline
