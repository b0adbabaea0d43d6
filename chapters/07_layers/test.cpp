#include <gtest/gtest.h>

#include <cmath>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter07, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  if (run.output.find("Level: host threads") == std::string::npos) {
    GTEST_SKIP() << "the page shows a run without a GPU";
  }
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 07", run.output,
                                 PageShows::Words),
            "");
}

TEST(Chapter07, FindsTheSlopesThatTheGradientsSay) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, {"--json"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 4U);
  for (const PrintedRow& row : rows) {
    EXPECT_GT(std::abs(row.predicted), 1e-3) << row.what;
    // Rounding of float32, over the step of the differences.
    EXPECT_NEAR(row.measured, row.predicted, 1e-3) << row.what;
  }
}

}  // namespace
}  // namespace pipeline
