#include "classroom/chapter_page.hpp"

#include <gtest/gtest.h>

#include "classroom/files.hpp"

namespace pipeline {
namespace {

constexpr const char* kPage =
    "# A page\n\n```text\n$ other\nno\n```\n\n```text\n$ ch 1\nfirst\nsecond "
    "2\n```\nend\n";

TEST(OutputOnPage, IsTheBlockOfItsCommand) {
  EXPECT_EQ(output_on_page(kPage, "ch 1"), "first\nsecond 2\n");
  EXPECT_EQ(output_on_page(kPage, "ch"), "");
}

TEST(OutputOnPage, IsReplacedAndNothingElse) {
  const std::string page = with_output_on_page(kPage, "ch 1", "new\n");
  EXPECT_EQ(output_on_page(page, "ch 1"), "new\n");
  EXPECT_EQ(output_on_page(page, "other"), "no\n");
  EXPECT_EQ(with_output_on_page(page, "ch 1", "first\nsecond 2\n"), kPage);
}

TEST(OutputOnPage, MayBeEmptyBeforeItIsFirstWritten) {
  const std::string page = "```text\n$ ch 1\n```\n";
  EXPECT_EQ(output_on_page(page, "ch 1"), "");
  EXPECT_EQ(with_output_on_page(page, "ch 1", "a\n"), "```text\n$ ch 1\na\n```\n");
}

TEST(RowsOnPage, AreThoseOfTheLastTable) {
  const std::string table = "             predicted  measured  ratio\n";
  EXPECT_EQ(rows_on_page("```text\n$ ch 1\n" + table + "other  1  2  2.000\n\n" +
                             table + "ticks: m+p-1  6   6  1.000\n" +
                             "a row        1   1  1.000\n\nLevel: x\n```\n",
                         "ch 1"),
            (std::vector<std::string>{"ticks: m+p-1", "a row"}));
  EXPECT_EQ(rows_on_page(kPage, "ch 1"), std::vector<std::string>());
}

TEST(WordsOf, KeepsWhatIsTheSameInEveryRun) {
  EXPECT_EQ(words_of("ms a step: (m+p-1)(F+B)    18.4    -2.5  1.056\n"
                     "digest  24a53f1b0577bf7b  86.63 %\n"
                     "by cost [1,8], and [one] more\n"
                     "predicted 31.4 ms (symbolic)\n"
                     "\n"
                     "ms      0    5    10\n"
                     "device 0 │F0F1│\n"
                     "measured 31.4 ms (replay)\n"
                     "Level: replay. 4 devices share\n"
                     "2 cores.\n"
                     "\n"
                     "Try next\n"),
            "ms a step: (m+p-1)(F+B) # # #\n"
            "digest # # %\n"
            "by cost # and [one] more\n"
            "predicted # (symbolic)\n"
            "Try next\n");
}

TEST(ComplaintAboutPage, ShowsTheFirstLineThatDiffers) {
  const std::string file = testing::TempDir() + "/chapter_page_test.md";
  ASSERT_TRUE(write_file(file, kPage).has_value());
  EXPECT_EQ(
      complaint_about_page(file, "ch 1", "first\nsecond 2\n", PageShows::Everything),
      "");
  EXPECT_EQ(complaint_about_page(file, "ch 1", "first\nsecond 3\n", PageShows::Words),
            "");
  const std::string complaint =
      complaint_about_page(file, "ch 1", "first\nsecond 3\n", PageShows::Everything);
  EXPECT_NE(complaint.find("now prints\n  second 3\n"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("the page shows\n  second 2\n"), std::string::npos);
  EXPECT_NE(complaint_about_page(file, "ch 2", "", PageShows::Words), "");
}

TEST(RowsThatDisagree, AreNamed) {
  const std::string json =
      R"({"rows": [{"what": "a", "predicted": 2, "measured": 2},
                   {"what": "b", "predicted": 2, "measured": 3}]})";
  EXPECT_EQ(rows_that_disagree(json), "b: 2.000000 predicted, 3.000000 measured\n");
  EXPECT_NE(rows_that_disagree("not JSON"), "");
}

TEST(DisagreementsAtAnySize, CountAProgramThatPrintsNoRowsOrFails) {
  EXPECT_NE(disagreements_at_any_size("true"), "");
  EXPECT_NE(disagreements_at_any_size("false"), "");
}

TEST(ComplaintAboutTraining, WantsTheWeightsOfOneDeviceAndAnAccuracy) {
  const PrintedRow same = {"runs on p > 1 with the weights of one", 4, 4};
  const PrintedRow good = {"test accuracy, %: at least 85", 85, 86};
  const PrintedRow one_differs = {same.what, 4, 3};
  const PrintedRow by_chance = {good.what, 85, 10};
  EXPECT_EQ(complaint_about_training({same, good}, 4), "");
  EXPECT_NE(complaint_about_training({same, good}, 6), "");
  EXPECT_NE(complaint_about_training({one_differs, good}, 4), "");
  EXPECT_NE(complaint_about_training({same, by_chance}, 4), "");
  EXPECT_NE(complaint_about_training({good, same}, 4), "");
  EXPECT_NE(complaint_about_training({}, 0), "");
}

}  // namespace
}  // namespace pipeline
