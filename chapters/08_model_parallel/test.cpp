#include <gtest/gtest.h>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter08, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 08", run.output,
                                 PageShows::Words),
            "");
}

// Holds on any machine, however busy: what waits for one another cannot overlap.
TEST(Chapter08, NeverKeepsMoreThanOneDeviceBusy) {
  for (const char* p : {"1", "2", "3"}) {
    const ProcessResult run =
        run_chapter_program(CHAPTER_PROGRAM, {"-p", p, "-m", "2", "--json"});
    if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
    const std::vector<PrintedRow> rows = rows_of(run.output);
    ASSERT_GE(rows.size(), 3U) << run.output;
    EXPECT_EQ(rows[0].what, "utilisation: 1/p");
    EXPECT_NEAR(rows[0].predicted, 1 / std::stod(p), 1e-12);
    EXPECT_GT(rows[0].measured, 0);
    EXPECT_LE(rows[0].measured, rows[0].predicted + 1e-9) << "-p " << p;
  }
}

}  // namespace
}  // namespace pipeline
