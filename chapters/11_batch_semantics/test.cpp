#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

/// As many images as the page was written with, or a few.
std::vector<std::string> with_usual_images(std::vector<std::string> arguments = {}) {
  if (!takes_all_images()) arguments.insert(arguments.end(), {"--images", "256"});
  return arguments;
}

TEST(Chapter11, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, with_usual_images());
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 11", run.output,
                                 PageShows::Words),
            "");
}

// With five micro-batches nothing divides: they are 1, 2, 4 and 5 of a batch.
TEST(Chapter11, FindsWhatItPredictsAlsoWhereNothingDivides) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM, with_usual_images({"-p", "3", "-m", "5", "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 10U) << run.output;
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(rows[i].predicted, 3) << rows[i].what;
    EXPECT_EQ(rows[i].measured, 3) << rows[i].what;
  }
  EXPECT_EQ(rows[2].measured, 0) << rows[2].what;
  EXPECT_NEAR(rows[3].measured, rows[3].predicted, 1e-5) << rows[3].what;
  EXPECT_GT(std::abs(rows[4].measured - rows[4].predicted), 0.01) << rows[4].what;
  EXPECT_NEAR(rows[5].predicted, 1 - std::pow(0.9, 5), 1e-9) << rows[5].what;
  EXPECT_NEAR(rows[5].measured, rows[5].predicted, 1e-4) << rows[5].what;
  EXPECT_NEAR(rows[6].measured, 0.1, 1e-4) << rows[6].what;
  EXPECT_GT(rows[7].measured, 1.2) << rows[7].what;
  EXPECT_EQ(rows[8].predicted, 4) << rows[8].what;
  EXPECT_EQ(rows[8].measured, 4) << rows[8].what;
}

TEST(Chapter11, RunsOnOneDeviceWithOneMicroBatch) {
  const ProcessResult run =
      run_chapter_program(CHAPTER_PROGRAM, {"-p", "1", "-m", "1", "--images", "1"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  EXPECT_EQ(run.exit_code, kGood) << run.output;
}

}  // namespace
}  // namespace pipeline
