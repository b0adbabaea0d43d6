#include <gtest/gtest.h>

#include <algorithm>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter03, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 03", run.output,
                                 PageShows::Words),
            "");
}

// Holds on any machine: of all cuts the one by cost has the fastest slowest stage, as
// far as the layers' own times go.
TEST(Chapter03, PredictsNoSlowerStageByCostThanByCountOrAsAsked) {
  for (const char* layout : {"9", "1,8", "4,5", "1,2,6", "2,2,1,1,3"}) {
    const ProcessResult run =
        run_chapter_program(CHAPTER_PROGRAM, {"-m", "2", "--layout", layout, "--json"});
    if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
    const std::vector<PrintedRow> rows = rows_of(run.output);
    ASSERT_EQ(rows.size(), 7U) << run.output;
    EXPECT_LE(rows[4].predicted, rows[0].predicted * (1 + 1e-9)) << layout;
    EXPECT_LE(rows[4].predicted, rows[2].predicted * (1 + 1e-9)) << layout;
    for (const PrintedRow& row : rows) EXPECT_GT(row.measured, 0) << row.what;
  }
}

TEST(Chapter03, RefusesALayoutThatDropsALayer) {
  const auto answer = [](const std::vector<std::string>& arguments) {
    const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, arguments);
    EXPECT_EQ(run.exit_code, kBadUsage);
    return run.output;
  };
  EXPECT_NE(answer({"--layout", "1,2,2,3"}).find("1 would be dropped"),
            std::string::npos);
  EXPECT_NE(answer({"--layout", "9,1"}).find("1 too many"), std::string::npos);
  EXPECT_NE(answer({"--layout", "9,0"}).find("'0' is less than 1"), std::string::npos);
  EXPECT_NE(answer({"--layout", "4,5", "-p", "3"}).find("2 stages"), std::string::npos);
}

}  // namespace
}  // namespace pipeline
