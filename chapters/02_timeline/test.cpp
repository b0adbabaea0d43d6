#include <gtest/gtest.h>

#include "classroom/chapter_page.hpp"

namespace pipeline {
namespace {

TEST(Chapter02, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 02", run.output,
                                 PageShows::Everything),
            "");
}

// The predictions are formulas and the measurements are simulated, so that a ratio
// other than 1 means that one of the two is wrong.
TEST(Chapter02, PredictsWhatItMeasuresAtEverySize) {
  for (const char* p : {"1", "2", "7", "64"}) {
    for (const char* m : {"1", "3", "40"}) {
      const ProcessResult run =
          run_chapter_program(CHAPTER_PROGRAM, {"-p", p, "-m", m, "--json"});
      EXPECT_EQ(run.exit_code, 0);
      EXPECT_EQ(rows_that_disagree(run.output), "") << "-p " << p << " -m " << m;
    }
  }
}

}  // namespace
}  // namespace pipeline
