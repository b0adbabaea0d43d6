#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter05, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 05", run.output,
                                 PageShows::Words),
            "");
}

/// Nothing depends on how the loop was run.
void expect_same_results(const std::vector<PrintedRow>& rows) {
  ASSERT_EQ(rows.size(), 11U);
  EXPECT_GT(rows[6].predicted, 0);  // components
  EXPECT_EQ(rows[6].measured, rows[6].predicted);
  EXPECT_EQ(rows[7].measured, 12);  // files: 3 ways, 3 times each; 3 numbers of tokens
  EXPECT_EQ(rows[10].measured, 6);  // weights: 2 ways, 3 times each
  EXPECT_EQ(rows[7].predicted, rows[7].measured);
  EXPECT_EQ(rows[10].predicted, rows[10].measured);
}

TEST(Chapter05, WritesTheSameFileAndTrainsTheSameWeightsWithFewerWorkers) {
  for (const char* p : {"1", "2"}) {
    const ProcessResult run =
        run_chapter_program(CHAPTER_PROGRAM, {"-p", p, "-m", "2", "--json"});
    if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
    ASSERT_EQ(run.exit_code, kGood) << run.output;
    expect_same_results(rows_of(run.output));
  }
}

TEST(Chapter05, PredictsTheLoopFromItsStages) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, {"-m", "7", "--json"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_NO_FATAL_FAILURE(expect_same_results(rows));
  const double sum = rows[0].predicted / 7;
  const double slowest = (rows[1].predicted - sum) / 6;
  EXPECT_GT(slowest, 0);
  EXPECT_LT(slowest, sum);
  for (std::size_t tokens = 1; tokens <= 3; ++tokens) {
    EXPECT_NEAR(rows[2 + tokens].predicted,
                std::max(slowest, sum / static_cast<double>(tokens)), 1e-6 * sum)
        << tokens << " tokens";
  }
}

}  // namespace
}  // namespace pipeline
