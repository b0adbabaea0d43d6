#include <gtest/gtest.h>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter04, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 04", run.output,
                                 PageShows::Words),
            "");
}

TEST(Chapter04, PredictsThePaceAndHoldsWhatHidesTheTransfers) {
  for (const char* m : {"1", "2", "6"}) {
    const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, {"-m", m, "--json"});
    if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
    ASSERT_EQ(run.exit_code, kGood) << run.output;
    const std::vector<PrintedRow> rows = rows_of(run.output);
    ASSERT_EQ(rows.size(), 8U) << run.output;
    const double ms = rows[0].predicted;  // t + t/2, or 0 of a single micro-batch
    EXPECT_NEAR(rows[1].predicted, ms / 1.5, 1e-9 * ms);
    EXPECT_NEAR(rows[2].predicted, ms * 2, 1e-9 * ms);
    EXPECT_NEAR(rows[3].predicted, ms / 1.5 * 2, 1e-9 * ms);
    EXPECT_LE(rows[6].predicted, rows[5].predicted * (1 + 1e-9));
    EXPECT_EQ(rows[7].measured, rows[7].predicted);
  }
}

TEST(Chapter04, ReplaysMoreDevicesThanCores) {
  const ProcessResult run =
      run_chapter_program(CHAPTER_PROGRAM, {"-p", "8", "-m", "3", "--json"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  EXPECT_EQ(run.exit_code, kGood) << run.output;
}

}  // namespace
}  // namespace pipeline
