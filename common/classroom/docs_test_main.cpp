// docs_test ROOT BUILD: a GoogleTest program that makes the site and then runs the
// tests of docs/browser_test on it, each as a case of its own. Those are written in
// Python, since a browser is driven from there; all that are chosen run in one go, when
// the first is asked for, and each case then tells what its own came to.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "classroom/docs.hpp"
#include "classroom/files.hpp"
#include "classroom/full_checks.hpp"
#include "classroom/json.hpp"
#include "classroom/lines.hpp"
#include "classroom/made_test.hpp"
#include "classroom/process.hpp"
#include "classroom/workspace.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnSuite = "Site";  // of the cases that are written here
constexpr double kTimeout = 1200;          // seconds; ends what hangs, judges nothing

/// Every file below a folder, by its name there.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    contents[entry.path().lexically_relative(folder).string()] =
        read_file(entry.path()).value_or("");
  }
  return contents;
}

/// Names of files that differ, or that only one side has.
std::vector<std::string> different(const std::map<std::string, std::string>& before,
                                   const std::map<std::string, std::string>& after) {
  std::vector<std::string> names;
  for (const auto& [name, text] : before) {
    const auto other = after.find(name);
    if (other == after.end() || other->second != text) names.push_back(name);
  }
  for (const auto& [name, text] : after) {
    if (!before.contains(name)) names.push_back(name);
  }
  return names;
}

/// The cases that this run asks for, in the names of run.py.
std::vector<std::string> chosen_cases() {
  std::vector<std::string> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    if (std::string(suite.name()) == kOwnSuite) continue;
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (test.should_run())
        names.push_back(suite.name() + std::string(".") + test.name());
    }
  }
  return names;
}

class SiteTests {
 public:
  explicit SiteTests(Workspace at)
      : at_(std::move(at)),
        script_((at_.root / "docs" / "browser_test" / "run.py").string()) {}

  ProcessResult list() const {
    return run_process({WORKBOOK_PYTHON, script_, "--list"});
  }

  const DocsResult& made() {
    if (made_.index.empty()) made_ = make_docs(at_);
    return made_;
  }

  void expect_made_the_same_again() {
    const fs::path site = made().index.parent_path();
    const auto before = contents_of(site);
    made_ = make_docs(at_);
    EXPECT_EQ(different(before, contents_of(site)), std::vector<std::string>());
  }

  void report(const std::string& name) {
    ASSERT_TRUE(made().good) << "there is no whole site to test";
    run_once();
    const auto result = results_.find(name);
    ASSERT_NE(result, results_.end()) << "it never came to this test\n" << output_;
    const auto& [outcome, message] = result->second;
    if (outcome == "skipped") GTEST_SKIP() << message;
    EXPECT_EQ(outcome, "passed") << message;
  }

 private:
  void run_once() {
    if (ran_) return;
    ran_ = true;
    const fs::path file = made().index.parent_path().parent_path() / "tests.json";
    std::vector<std::string> command = {WORKBOOK_PYTHON, script_, "--results",
                                        file.string()};
    for (const std::string& name : chosen_cases()) command.push_back(name);
    ProcessOptions options;
    options.environment = {
        {"WORKBOOK_SITE", made().index.parent_path().string()},
        {"WORKBOOK_PROGRAM", (at_.build / "workbook").string()},
        {"WORKBOOK_LAB_NATIVE", WORKBOOK_LAB_NATIVE},
    };
    options.timeout_seconds = kTimeout * (in_full_tier() ? kFullPatience : 1);
    std::error_code ignored;
    fs::remove(file, ignored);
    const ProcessResult run = run_process(command, options);
    output_ =
        run.timed_out ? "the tests did not end in time\n" + run.output : run.output;
    read_results(read_file(file).value_or(""));
  }

  /// The results, a line of JSON each; the last may be torn.
  void read_results(const std::string& text) {
    for (const std::string& line : lines_of(text)) {
      const Json result = parse_json(line);
      if (!result.is_object()) continue;
      results_[result.value("name", "")] = {result.value("outcome", ""),
                                            result.value("message", "")};
    }
  }

  Workspace at_;
  std::string script_;
  DocsResult made_;
  bool ran_ = false;
  std::string output_;
  std::map<std::string, std::pair<std::string, std::string>> results_;
};

void add_cases(SiteTests& tests) {
  register_test(kOwnSuite, "IsMadeWithoutAWarning", [&] {
    const DocsResult& made = tests.made();
    EXPECT_TRUE(made.good) << made.output << made.error.what << "\n"
                           << made.error.remedy;
  });
  if (in_full_tier()) {
    register_test(kOwnSuite, "IsByteForByteTheSameWhenMadeAgain",
                  [&] { tests.expect_made_the_same_again(); });
  }
  const ProcessResult listed = tests.list();
  if (listed.exit_code != 0) {
    register_test(kOwnSuite, "HasTests", [listed] {
      if (listed.exit_code == 127) GTEST_SKIP() << "no python3 here";
      ADD_FAILURE() << listed.output;
    });
    return;
  }
  for (const std::string& name : lines_of(listed.output)) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) continue;
    register_test(name.substr(0, dot), name.substr(dot + 1),
                  [&tests, name] { tests.report(name); });
  }
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fputs("usage: docs_test ROOT BUILD\n", stderr);
    return 2;
  }
  // Interrupted, it ends the browsers first.
  pipeline::catch_interrupts();
  pipeline::SiteTests tests({argv[1], argv[2]});
  pipeline::add_cases(tests);
  return RUN_ALL_TESTS();
}
