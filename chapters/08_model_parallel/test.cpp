#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "timeline/timeline.hpp"

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

/// When each forward and backward ran, on whichever device, in order of start.
std::vector<Span> measured_work(const std::string& trace) {
  const auto json = nlohmann::json::parse(trace);
  int measured = 0;  // the process of the trace that holds what was measured
  std::vector<Span> spans;
  for (const auto& event : json["traceEvents"])
    measured = std::max(measured, event["pid"].get<int>());
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] != "X" || event["pid"] != measured) continue;
    const std::string kind = event["cat"];
    if (kind != "forward" && kind != "backward") continue;
    const double start = event["ts"];
    spans.push_back({start, start + event["dur"].get<double>()});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.start < b.start; });
  return spans;
}

// Holds on any machine, however busy: what waits for one another cannot overlap. (The
// updates at the end of the step may.)
TEST(Chapter08, NeverKeepsMoreThanOneDeviceBusy) {
  const std::string file = testing::TempDir() + "/ch08.trace.json";
  for (const int p : {1, 2, 3}) {
    const ProcessResult run = run_chapter_program(
        CHAPTER_PROGRAM,
        {"-p", std::to_string(p), "-m", "2", "--json", "--trace", file});
    if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
    const std::vector<PrintedRow> rows = rows_of(run.output);
    ASSERT_GE(rows.size(), 1U) << run.output;
    EXPECT_EQ(rows[0].what, "utilisation: 1/p");
    EXPECT_NEAR(rows[0].predicted, 1.0 / p, 1e-12);

    const auto trace = read_file(file);
    ASSERT_TRUE(trace.has_value());
    const std::vector<Span> work = measured_work(*trace);
    ASSERT_EQ(work.size(), static_cast<std::size_t>(2 * 2 * p));
    for (std::size_t i = 1; i < work.size(); ++i) {
      constexpr double kRounding = 0.01;  // the trace has three digits of a microsecond
      EXPECT_GE(work[i].start, work[i - 1].end - kRounding) << "-p " << p;
    }
  }
}

}  // namespace
}  // namespace pipeline
