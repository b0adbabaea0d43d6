#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "classroom/chapter_program.hpp"
#include "classroom/console.hpp"
#include "schedule/generate.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

const ChapterInfo kInfo = {.number = "99",
                           .name = "made_up",
                           .question = "Is this a question?",
                           .devices = {3, 8},
                           .micro_batches = {4, 8}};

ChapterReport made_up_report() {
  const auto schedule = forward_only({.devices = 3, .micro_batches = 4});
  const auto timeline = simulate(*schedule, Costs{});
  ChapterReport report;
  report.say(
      "A paragraph that is long enough to be broken, since a page has only eighty "
      "columns and this has more.");
  report.draw("A picture.", *schedule, *timeline);
  report.row("share", fraction(8, 12), 0.5);
  report.headline("ticks", 6, 6);
  report.row("nothing", 0, 1);
  report.try_next(
      "Something else, which also takes more than a single line of the page "
      "to be said in full.");
  return report;
}

TEST(Quantity, ReadsAsShortAsItCan) {
  EXPECT_EQ(Quantity(6).text, "6");
  EXPECT_EQ(Quantity(0.66666666).text, "0.6667");
  EXPECT_EQ(Quantity(12345.678).text, "1.235e+04");
  EXPECT_EQ(fraction(8, 12).text, "2/3");
  EXPECT_DOUBLE_EQ(fraction(8, 12).value, 2.0 / 3);
}

TEST(ReportRow, HasARatioUnlessNothingWasPredicted) {
  EXPECT_EQ((ReportRow{"", 4, 2}).ratio(), 0.5);
  EXPECT_EQ((ReportRow{"", 0, 0}).ratio(), 1);
  EXPECT_TRUE(std::isnan((ReportRow{"", 0, 1}).ratio()));
}

TEST(ChapterReport, FitsEightyColumns) {
  const auto page = made_up_report().as_text(kInfo, {});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  std::string_view rest = *page;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    EXPECT_LE(columns(line), 80U) << line;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  EXPECT_NE(page->find("share          2/3       0.5  0.750\n"), std::string::npos)
      << *page;
  EXPECT_NE(page->find("nothing          0         1   none\n"), std::string::npos)
      << *page;
}

TEST(ChapterReport, DrawsInAsciiWhereTheTerminalAsksForIt) {
  const auto page = made_up_report().as_text(kInfo, {.ascii = true});
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->find("│"), std::string::npos);
}

TEST(ChapterReport, SummarizesItselfForTheTableOfAllChapters) {
  const auto json = nlohmann::json::parse(made_up_report().as_summary(kInfo));
  EXPECT_EQ(json["chapter"], "99");
  EXPECT_EQ(json["name"], "made_up");
  EXPECT_EQ(json["level"], "symbolic");
  ASSERT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(json["rows"][1], (nlohmann::json{{"what", "ticks"},
                                             {"predicted", 6},
                                             {"measured", 6},
                                             {"ratio", 1},
                                             {"headline", true}}));
  EXPECT_EQ(json["rows"][0]["headline"], false);
  EXPECT_TRUE(json["rows"][2]["ratio"].is_null());
}

TEST(ChapterReport, TellsAProgramItsSizesAndPictures) {
  const auto json = nlohmann::json::parse(made_up_report().as_json(kInfo, {3, 4, 0}));
  EXPECT_EQ(json["devices"], 3);
  EXPECT_EQ(json["micro_batches"], 4);
  ASSERT_EQ(json["pictures"].size(), 1U);
  EXPECT_EQ(json["pictures"][0]["schedule"], "forward");
  EXPECT_EQ(json["pictures"][0]["makespan"], 6);
}

TEST(ChapterReport, WritesItsPictureAsSvgAndAsATrace) {
  const auto svg = made_up_report().as_svg();
  ASSERT_TRUE(svg.has_value()) << svg.error().what;
  EXPECT_NE(svg->find("<svg"), std::string::npos);
  const auto trace = made_up_report().as_trace();
  ASSERT_TRUE(trace.has_value()) << trace.error().what;
  EXPECT_TRUE(nlohmann::json::accept(*trace));
}

}  // namespace
}  // namespace pipeline
