#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"

namespace pipeline {
namespace {

TEST(Chapter17, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 17", run.output,
                                 PageShows::Words),
            "");
}

struct Held {
  double v_min, v_half, zb_v;
};

// V-Min, V-Half and ZB-V train the weights of one device, and hold what is predicted.
void expect_training(std::int32_t p, std::int32_t m, const Held& held) {
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM,
      with_images({"-p", std::to_string(p), "-m", std::to_string(m), "--json"}));
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 7U) << run.output;
  const int runs = p == 1 ? 0 : 3;
  const std::vector<PrintedRow> expected{
      {"runs on p > 1 with the weights of one", 1.0 * runs, 1.0 * runs},
      {"micro-batches held: v-min, at most (p+4)/3", held.v_min, held.v_min},
      {"micro-batches held: v-half, at most (p+2)/2", held.v_half, held.v_half},
      {"micro-batches held: zb-v, at most p", held.zb_v, held.zb_v},
      {"messages a micro-batch: 4(p-1)", 4.0 * (p - 1), 4.0 * (p - 1)},
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(rows[i].what, expected[i].what);
    EXPECT_EQ(rows[i].predicted, expected[i].predicted) << rows[i].what;
    EXPECT_EQ(rows[i].measured, expected[i].measured) << rows[i].what;
  }
}

TEST(Chapter17, TrainsTheWeightsOfOneDeviceAndHoldsWhatItPredicts) {
  expect_training(4, 8, {2, 3, 4});
}

TEST(Chapter17, TrainsThemWithFewerMicroBatchesThanDevicesToo) {
  expect_training(5, 2, {2, 2, 2});
}

TEST(Chapter17, TrainsThemOnOneDevice) { expect_training(1, 3, {1, 1, 1}); }

}  // namespace
}  // namespace pipeline
