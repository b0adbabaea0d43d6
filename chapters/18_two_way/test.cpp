#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter18, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, with_images());
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 18", run.output,
                                 PageShows::Words),
            "");
}

void expect_training(int p, int m, int runs) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM,
      with_images({"-p", std::to_string(p), "-m", std::to_string(m), "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 7 + static_cast<std::size_t>(p)) << run.output;
  EXPECT_EQ(complaint_about_training(rows, runs), "");
  // What is counted and what is simulated is as predicted; what is measured varies.
  for (std::size_t i = 4; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i].measured, rows[i].predicted, 1e-9) << rows[i].what;
  }
  for (std::size_t i = 4; i < 4 + static_cast<std::size_t>(p); ++i) {
    EXPECT_EQ(rows[i].predicted, p + 1) << rows[i].what;
  }
}

// DualPipeV and Chimera on 4, DualPipe on 2 and on 4.
TEST(Chapter18, TrainsTheWeightsOfOneDeviceAndHoldsWhatItPredicts) {
  expect_training(4, 10, 4);
}

// All three on 2.
TEST(Chapter18, TrainsThemOnTwoDevicesToo) { expect_training(2, 6, 3); }

TEST(Chapter18, SaysWhichSizesItNeeds) {
  const ProcessResult odd = run_chapter_program(CHAPTER_PROGRAM, {"-p", "3"});
  EXPECT_EQ(odd.exit_code, kBadUsage);
  EXPECT_NE(odd.output.find("ask for 2 or 4 devices"), std::string::npos) << odd.output;
  const ProcessResult few = run_chapter_program(CHAPTER_PROGRAM, {"-m", "6"});
  EXPECT_EQ(few.exit_code, kBadUsage);
  EXPECT_NE(few.output.find("ask for 8 micro-batches"), std::string::npos)
      << few.output;
}

}  // namespace
}  // namespace pipeline
