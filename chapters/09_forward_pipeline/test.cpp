#include <gtest/gtest.h>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter09, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 09", run.output,
                                 PageShows::Words),
            "");
}

// Holds on any machine, however busy: the slowest stage runs m forwards, of one tick in
// the mean, and every micro-batch crosses every stage.
TEST(Chapter09, PredictsTheTicksAndNeverBeatsTheSlowestStage) {
  for (const int p : {1, 2, 3}) {
    for (const int m : {1, 4}) {
      const ProcessResult run = run_chapter_program(
          CHAPTER_PROGRAM,
          {"-p", std::to_string(p), "-m", std::to_string(m), "--json"});
      if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
      const std::vector<PrintedRow> rows = rows_of(run.output);
      ASSERT_GE(rows.size(), 2U) << run.output;
      EXPECT_EQ(rows[0].predicted, m + p - 1);
      EXPECT_GE(rows[0].measured, m - 1e-9);
      EXPECT_NEAR(rows[1].predicted, static_cast<double>(m) / (m + p - 1), 1e-12);
      EXPECT_LE(rows[1].measured, 1 + 1e-9);
    }
  }
}

}  // namespace
}  // namespace pipeline
