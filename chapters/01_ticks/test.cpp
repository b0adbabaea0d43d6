#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"

namespace pipeline {
namespace {

TEST(Chapter01, PrintsWhatItsPageShows) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 01", run.output,
                                 PageShows::Everything),
            "");
}

TEST(Chapter01, CountsSixTicksAndTwoThirdsForThreeDevicesAndFourMicroBatches) {
  const std::string output = run_chapter_program(CHAPTER_PROGRAM).output;
  EXPECT_NE(output.find("forward · 3 devices · 4 micro-batches · 6 ticks"),
            std::string::npos);
  EXPECT_NE(output.find("2/3       2/3  1.000"), std::string::npos);
}

TEST(Chapter01, PredictsWhatItMeasuresAtEverySize) {
  EXPECT_EQ(disagreements_at_any_size(CHAPTER_PROGRAM), "");
}

// What follows holds for the programs of all chapters, which share this code.
TEST(EveryChapter, RefusesBadSizesInTwoLinesAndWith2) {
  const std::vector<std::vector<std::string>> bad = {
      {"-p", "0"},     {"-p", "-3"},   {"-p", "four"}, {"-p", "2.5"},
      {"-p", "1000"},  {"-m", "0"},    {"-m", ""},     {"-m", "99999999999999999999"},
      {"--devices"},   {"--volume=3"}, {"extra"},      {"--svg", "/nowhere/x.svg"},
      {"--svg", "/"},  {"-p", "3x"},   {"-m", "1e3"},  {"--trace", "/nowhere/x"},
      {"--report", ""}};
  for (const auto& arguments : bad) {
    const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, arguments);
    EXPECT_EQ(run.exit_code, kBadUsage) << arguments[0] << ": " << run.output;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 2)
        << arguments[0] << ": " << run.output;
  }
}

TEST(EveryChapter, WritesTheFilesThatItIsAskedFor) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "ch01_files";
  std::filesystem::create_directories(folder);
  const auto in = [&folder](const char* name) { return (folder / name).string(); };
  const ProcessResult run = run_chapter_program(
      CHAPTER_PROGRAM,
      {"--svg", in("a.svg"), "--trace", in("a.json"), "--report", in("report.json")});
  EXPECT_EQ(run.exit_code, kGood) << run.output;
  for (const char* name : {"a.svg", "a.json", "report.json"}) {
    const auto text = read_file(in(name));
    ASSERT_TRUE(text.has_value()) << name;
    EXPECT_GT(text->size(), 100U) << name;
  }
  // Nothing half-written is left beside them.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 3);
  std::filesystem::remove_all(folder);
}

TEST(EveryChapter, SaysWhenStandardOutputCannotBeWritten) {
  ProcessOptions options;
  options.timeout_seconds = 60;
  const ProcessResult run =
      run_process({"sh", "-c", std::string(CHAPTER_PROGRAM) + " > /dev/full"}, options);
  EXPECT_EQ(run.exit_code, kBadUsage) << run.output;
}

TEST(EveryChapter, ExplainsItsOptions) {
  const ProcessResult run = run_chapter_program(CHAPTER_PROGRAM, {"--help"});
  EXPECT_EQ(run.exit_code, kGood);
  for (const char* option :
       {"--devices", "--micro-batches", "--svg", "--trace", "--report", "--json"}) {
    EXPECT_NE(run.output.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace pipeline
