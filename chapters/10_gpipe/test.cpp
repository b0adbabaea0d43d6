#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter10, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, with_images());
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 10", run.output,
                                 PageShows::Words),
            "");
}

TEST(Chapter10, TrainsTheWeightsOfOneDeviceAndHoldsWhatItPredicts) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM, with_images({"-p", "4", "-m", "8", "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 10U) << run.output;
  EXPECT_EQ(complaint_about_training(rows, 4), "");  // p=2 and p=4, at m=2 and m=8
  for (std::size_t d = 0; d < 4; ++d) {
    const PrintedRow& held = rows[6 + d];
    EXPECT_EQ(held.what, "micro-batches held by device " + std::to_string(d) + ": m");
    EXPECT_EQ(held.predicted, 8);
    EXPECT_EQ(held.measured, 8);
  }
}

TEST(Chapter10, RunsOnOneDeviceWithOneMicroBatch) {
  const ProcessResult run =
      run_chapter_program(CHAPTER_PROGRAM, {"-p", "1", "-m", "1", "--images", "48"});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  EXPECT_EQ(run.exit_code, kGood) << run.output;
}

TEST(Chapter10, NamesThePackageOfImagesThatAreNotThere) {
  ProcessOptions options;
  options.environment = {{"WORKBOOK_DATA", "/nowhere"}};
  options.timeout_seconds = 60;
  const ProcessResult run = run_process({CHAPTER_PROGRAM}, options);
  EXPECT_EQ(run.exit_code, kAbsent);
  EXPECT_NE(run.output.find("dataset-fashion-mnist"), std::string::npos) << run.output;
}

TEST(Chapter10, EndsWith130WhenInterruptedAndWritesNothing) {
  const auto report = std::filesystem::path(testing::TempDir()) / "ch10.report.json";
  std::filesystem::remove(report);
  ProcessOptions options;
  options.timeout_seconds = 60;
  const ProcessResult run =
      run_process({"timeout", "--preserve-status", "--signal=INT", "0.3",
                   CHAPTER_PROGRAM, "--report", report.string()},
                  options);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  EXPECT_EQ(run.exit_code, kInterrupted) << run.output;
  EXPECT_FALSE(std::filesystem::exists(report));
}

}  // namespace
}  // namespace pipeline
