#include <gtest/gtest.h>

#include "classroom/chapter_page.hpp"

namespace pipeline {
namespace {

TEST(Chapter19, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 19", run.output,
                                 PageShows::Everything),
            "");
}

TEST(Chapter19, PredictsWhatItMeasuresAtEverySize) {
  EXPECT_EQ(disagreements_at_any_size(CHAPTER_PROGRAM), "");
}

}  // namespace
}  // namespace pipeline
