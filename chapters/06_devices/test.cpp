#include <gtest/gtest.h>

#include <algorithm>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter06, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 06", run.output,
                                 PageShows::Words),
            "");
}

TEST(Chapter06, NeedsBothOfItsWaits) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, {"-m", "2", "--json"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 15U) << run.output;
  EXPECT_EQ(rows[3].measured, 100);
  EXPECT_EQ(rows[4].measured, 0);
  EXPECT_EQ(rows[5].measured, 0);
}

TEST(Chapter06, PredictsLargerCopiesToTakeLonger) {
  const ProcessResult run =
      run_chapter_program(CHAPTER_PROGRAM, {"-p", "4", "-m", "1", "--json"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 15U) << run.output;
  EXPECT_LE(rows[1].predicted, rows[0].predicted);
  for (std::size_t i = 7; i < rows.size(); ++i) {
    EXPECT_GT(rows[i].predicted, rows[i - 1].predicted);
  }
}

}  // namespace
}  // namespace pipeline
