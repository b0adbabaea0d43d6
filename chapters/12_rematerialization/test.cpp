#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter12, PrintsWhatItsPageShows) {
  // The page shows what the program prints by itself, which takes not all images.
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM, takes_all_images() ? std::vector<std::string>() : with_images());
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 12", run.output,
                                 PageShows::Words),
            "");
}

TEST(Chapter12, TrainsTheWeightsOfOneDeviceInTheBytesThatItPredicts) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM, with_images({"-p", "4", "-m", "8", "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 1U + 8 + 2 + 8) << run.output;
  EXPECT_EQ(rows[0].predicted, 8);
  EXPECT_EQ(rows[0].measured, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const PrintedRow& bytes = rows[11 + i];
    ASSERT_TRUE(bytes.what.starts_with("MB on device 0: ")) << bytes.what;
    EXPECT_DOUBLE_EQ(bytes.measured, bytes.predicted) << bytes.what;
    const double never = rows[11 + i / 4 * 4].measured;
    EXPECT_LT(bytes.measured, i % 4 == 0 ? never + 1 : never) << bytes.what;
  }
}

TEST(Chapter12, RunsOnOneDeviceWithOneMicroBatch) {
  const ProcessResult run =
      run_chapter_program(CHAPTER_PROGRAM, {"-p", "1", "-m", "1", "--images", "48"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  EXPECT_EQ(run.exit_code, kGood) << run.output;
}

}  // namespace
}  // namespace pipeline
