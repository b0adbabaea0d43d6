#include "grading/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"
#include "grading/file_names.hpp"
#include "grading/report_test_support.hpp"

namespace pipeline {
namespace {
namespace fs = std::filesystem;

/// All files of a folder, by their paths in it.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), folder).string()] = *read_file(entry.path());
  }
  return files;
}

bool is_here(const char* program) {
  return run_process({program, "--version"}).exit_code == 0;
}

/// What check_reports.py is to find.
Json expectations(const Gradebook& gradebook) {
  Json expected = {{"tests", Json::array()}, {"students", Json::array()}};
  for (const TestInfo& test : gradebook.tests) {
    expected["tests"].push_back({{"name", test.name}, {"points", test.points}});
  }
  for (const Graded& graded : gradebook.students) {
    Json passed = Json::array();
    for (const TestVerdict& test : graded.verdict.tests) passed.push_back(test.passed);
    expected["students"].push_back({{"file", file_name_of(graded.submission.id)},
                                    {"status", to_text(graded.verdict.status)},
                                    {"points", graded.verdict.points()},
                                    {"passed", passed}});
  }
  return expected;
}

/// Writes the reports, and reads them with Python's parsers and xmllint.
void expect_readable(const Gradebook& gradebook, const ScratchFolder& scratch) {
  const fs::path source = fs::path(WORKBOOK_ROOT) / "common/grading";
  const fs::path folder = scratch / "reports";
  ASSERT_TRUE(write_reports(gradebook, folder).has_value());
  ASSERT_TRUE(write_file(scratch / "expected.json", to_text(expectations(gradebook))));
  const ProcessResult result =
      run_process({"python3", source / "check_reports.py", folder,
                   scratch / "expected.json", source / "published/junit-10.xsd"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(Reports, AreReadByParsersThatAreNotOurs) {
  if (!is_here("python3")) GTEST_SKIP() << "there is no python3 here";
  if (!is_here("xmllint")) GTEST_SKIP() << "there is no xmllint here (libxml2-utils)";
  const ScratchFolder scratch;
  expect_readable(test::example_class(), scratch);
}

TEST(Reports, KeepHostileTextsInTheirPlace) {
  if (!is_here("python3")) GTEST_SKIP() << "there is no python3 here";
  if (!is_here("xmllint")) GTEST_SKIP() << "there is no xmllint here (libxml2-utils)";
  const ScratchFolder scratch;
  expect_readable(test::hostile_class(), scratch);
}

TEST(Reports, ShortenWhatIsTooLongToRead) {
  const ScratchFolder scratch;
  ASSERT_TRUE(write_reports(test::hostile_class(), scratch.path()).has_value());
  for (const auto& [name, text] : files_of(scratch.path())) {
    EXPECT_LT(text.size(), 200'000U) << name;
  }
}

TEST(Reports, TellStudentsNothingThatIsSecret) {
  const ScratchFolder scratch;
  ASSERT_TRUE(write_reports(test::example_class(), scratch.path()).has_value());
  int seen = 0;
  for (const auto& [name, text] : files_of(scratch.path())) {
    if (!name.starts_with("feedback/") && !name.starts_with("gradescope/")) continue;
    ++seen;
    // The hidden test's name; and what it and the drawn one said.
    for (const char* secret : {"SecretSuite", "RefusesZeroDevices", "secret suite",
                               "CountsDrawnCells", "/home/grader"}) {
      EXPECT_EQ(text.find(secret), text.npos) << name << ": " << secret;
    }
  }
  EXPECT_EQ(seen, 8 + 7);
}

TEST(Reports, AreTheSameBytesFromRunToRunButForTheTimes) {
  const ScratchFolder scratch;
  Gradebook gradebook = test::example_class();
  ASSERT_TRUE(write_reports(gradebook, scratch / "first").has_value());
  for (Graded& graded : gradebook.students) graded.verdict.wall_seconds += 1.5;
  ASSERT_TRUE(write_reports(gradebook, scratch / "second").has_value());
  auto first = files_of(scratch / "first");
  auto second = files_of(scratch / "second");
  EXPECT_NE(first["times.csv"], second["times.csv"]);
  first.erase("times.csv");
  second.erase("times.csv");
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.size(), 4U + 8U + 7U);
}

TEST(Reports, LeaveWhatStandsAfterAGradersError) {
  const ScratchFolder scratch;
  Gradebook gradebook = test::empty_class();
  gradebook.students = {test::graded(gradebook, "student-01", Status::Ok, "+++-")};
  ASSERT_TRUE(write_reports(gradebook, scratch.path()).has_value());
  const auto before = files_of(scratch.path());
  gradebook.students[0].verdict.status = Status::GraderError;
  ASSERT_TRUE(write_reports(gradebook, scratch.path()).has_value());
  auto after = files_of(scratch.path());
  for (const char* name : {"feedback/student-01.html", "gradescope/student-01.json"}) {
    EXPECT_EQ(before.at(name), after.at(name)) << name;
  }
}

TEST(Reports, ShowNoIdOnAnAnonymousPage) {
  const ScratchFolder scratch;
  const Gradebook gradebook = test::example_class();
  ReportOptions options;
  options.anonymous = true;
  options.secret = "a secret";
  ASSERT_TRUE(write_reports(gradebook, scratch.path(), options).has_value());
  const std::string page = *read_file(scratch / "index.html");
  for (const Graded& graded : gradebook.students) {
    EXPECT_EQ(page.find(graded.submission.id), page.npos) << graded.submission.id;
    EXPECT_EQ(page.find(graded.submission.name), page.npos);
  }
  EXPECT_EQ(page.find("feedback/"), page.npos);
  EXPECT_EQ(page.find("test.cpp was edited"), page.npos);
}

TEST(Reports, AreNotWrittenWhereAnExportCannotBeFilledIn) {
  const ScratchFolder scratch;
  ASSERT_TRUE(write_file(scratch / "canvas.csv", "name,points\na,1\n"));
  ReportOptions options;
  options.canvas = scratch / "canvas.csv";
  const auto written =
      write_reports(test::example_class(), scratch / "reports", options);
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().what.find("no gradebook of Canvas"), std::string::npos)
      << written.error().what;
  EXPECT_FALSE(fs::exists(scratch / "reports"));
}

TEST(FileNames, AreOneForEachIdAndStayInTheirFolder) {
  std::set<std::string> names;
  std::vector<std::string> ids = test::hostile_texts();
  ids.insert(ids.end(), {"", "+", "+2B", "a", "A", "..", "a/b", "a+2Fb",
                         std::string(300, 'y'), std::string(299, 'x') + "y"});
  for (const std::string& id : ids) {
    const std::string name = file_name_of(id);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find('/'), name.npos);
    EXPECT_NE(name[0], '.');
    EXPECT_LE(name.size(), 240U);
  }
  EXPECT_EQ(file_name_of("student-01_a.b"), "student-01_a.b");
  EXPECT_EQ(file_name_of("a b"), "a+20b");
}

}  // namespace
}  // namespace pipeline
