#include "classroom/proof.hpp"

#include <unistd.h>

#include <atomic>
#include <system_error>

#include "classroom/files.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// Why there is no report, or an empty string.
std::string no_report(const Trial& trial) {
  if (trial.process.timed_out)
    return "it did not come to an end\n" + trial.process.output;
  if (!trial.report) return trial.report.error().what + "\n" + trial.process.output;
  if (trial.report->cases.empty()) return "it holds no test";
  return "";
}

std::string names_of_failures(const TestReport& report) {
  std::string names;
  for (const TestCase& test : report.cases) {
    if (test.outcome == Outcome::Failed) names += "  " + test.name + "\n";
  }
  return names;
}

}  // namespace

Trial run_tests(const fs::path& program, double timeout_seconds,
                const std::vector<std::string>& arguments,
                const std::vector<std::pair<std::string, std::string>>& environment,
                const std::function<bool()>& unwanted) {
  static std::atomic<int> runs = 0;
  const fs::path report = program.string() + ".report" + std::to_string(getpid()) +
                          "_" + std::to_string(runs++) + ".json";
  std::vector<std::string> command = {program.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.timeout_seconds = timeout_seconds;
  options.unwanted = unwanted;
  options.environment = environment;
  options.environment.emplace_back("GTEST_OUTPUT", "json:" + report.string());
  options.environment.emplace_back("GTEST_COLOR", "no");
  ProcessResult process = run_process(command, options);
  Trial trial = {read_file(report).and_then(
                     [](const std::string& json) { return parse_test_report(json); }),
                 std::move(process)};
  if (!trial.report) trial.report = parse_test_report("");
  std::error_code error;
  fs::remove(report, error);
  return trial;
}

std::string complaint_about_starter(const Trial& trial) {
  const std::string absent = no_report(trial);
  if (!absent.empty()) return "the starter must fail by its tests, but " + absent;
  if (trial.report->count(Outcome::Failed) == 0) {
    return "the starter fails no test, so there is nothing to solve";
  }
  return "";
}

std::string complaint_about_solution(const Trial& trial) {
  const std::string absent = no_report(trial);
  if (!absent.empty()) return "the solution must pass, but " + absent;
  if (trial.report->count(Outcome::Passed) !=
          static_cast<int>(trial.report->cases.size()) ||
      trial.process.exit_code != 0) {
    return "the solution does not pass every test\n" + trial.process.output;
  }
  if (trial.report->points() == 0) return "no test says what it is worth: POINTS(n)";
  return "";
}

std::string complaint_about_mistake(const Mistake& mistake, const Trial& trial) {
  const std::string absent = no_report(trial);
  if (!absent.empty()) return "this mistake must fail by its tests, but " + absent;
  const TestCase* test = trial.report->find(mistake.fails);
  if (test == nullptr) return "there is no test " + mistake.fails;
  if (test->outcome != Outcome::Failed) {
    return mistake.fails + " does not find it; these fail:\n" +
           names_of_failures(*trial.report);
  }
  if (test->message.find(mistake.says) == std::string::npos) {
    return mistake.fails + " finds it, but does not say\n  " + mistake.says +
           "\nIt says:\n" + test->message;
  }
  if (trial.report->points_earned() != mistake.points) {
    return "it earns " + std::to_string(trial.report->points_earned()) + " of " +
           std::to_string(trial.report->points()) + " points, and its file says " +
           std::to_string(mistake.points) + "; these fail:\n" +
           names_of_failures(*trial.report);
  }
  return "";
}

}  // namespace pipeline
