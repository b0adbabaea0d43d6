#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter15, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, with_images());
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 15", run.output,
                                 PageShows::Words),
            "");
}

constexpr std::size_t kRowsBefore = 6;  // time, and five accuracies

void expect_versions(int p, int m) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM,
      with_images({"-p", std::to_string(p), "-m", std::to_string(m), "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), kRowsBefore + 2 * static_cast<std::size_t>(p)) << run.output;
  // Whatever actions take here: at most m times as long, were updates all there is, of
  // which there are m a step; and at best as if there were no bubble.
  EXPECT_LE(rows[0].predicted, m);
  EXPECT_GE(rows[0].predicted, static_cast<double>(m) / (m + p - 1));
  for (std::size_t way = 1; way < kRowsBefore; ++way) {
    // Stale gradients learn as well, if not as fast.
    EXPECT_GE(rows[way].measured, least_accuracy() / 2) << rows[way].what;
    EXPECT_LE(rows[way].measured, 100) << rows[way].what;
  }
  for (int s = 0; s < p; ++s) {
    const PrintedRow& kept = rows[kRowsBefore + static_cast<std::size_t>(s)];
    EXPECT_EQ(kept.predicted, p - s) << kept.what;
    EXPECT_EQ(kept.measured, p - s) << kept.what;
    const PrintedRow& stale = rows[kRowsBefore + static_cast<std::size_t>(p + s)];
    EXPECT_EQ(stale.predicted, p - 1 - s) << stale.what;
    EXPECT_EQ(stale.measured, p - 1 - s) << stale.what;
  }
}

TEST(Chapter15, KeepsTheVersionsAndIsAsLateAsItPredicts) { expect_versions(4, 8); }

TEST(Chapter15, DoesSoWithFewerMicroBatchesThanDevicesToo) { expect_versions(3, 2); }

TEST(Chapter15, HasNothingStaleOnOneDevice) { expect_versions(1, 4); }

}  // namespace
}  // namespace pipeline
