#include "classroom/test_programs.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/proof.hpp"

namespace pipeline {
namespace {

void read_property(const Json& property, TestProgram& program) {
  const std::string name = property.value("name", "");
  const Json& value = property.at("value");
  if (name == "TIMEOUT") program.timeout_seconds = value.get<double>();
  if (name == "RUN_SERIAL") program.alone = value.get<bool>();
  if (name == "ENVIRONMENT") {
    for (const std::string entry : value) {
      const std::size_t equals = entry.find('=');
      program.environment.emplace_back(
          entry.substr(0, equals),
          entry.substr(std::min(equals, entry.size() - 1) + 1));
    }
  }
}

/// Why a case was skipped stands in the output alone.
std::string skip_reason(const std::string& output, const std::string& name) {
  std::string text = output_of_case(output, name);
  const std::size_t at = text.find("Skipped\n");
  if (at == std::string::npos) return "no reason given";
  text.erase(0, at + 8);
  return text.substr(0, text.find('\n'));
}

/// The last case that a program began before it broke off.
std::string last_begun(const std::string& output) {
  const std::string mark = "[ RUN      ] ";
  const std::size_t at = output.rfind(mark);
  if (at == std::string::npos) return "its start";
  const std::size_t name = at + mark.size();
  return output.substr(name, output.find('\n', name) - name);
}

std::string heading(const std::string& text) { return "--- " + text + "\n"; }

/// What one program came to. One that left no report counts as one failure.
TestTally tally_of(const TestProgram& program, const Trial& trial,
                   const std::string& label) {
  TestTally tally;
  const ProcessResult& process = trial.process;
  const std::string place = label + program.name + ": ";
  if (!trial.report) {
    tally.failed = 1;
    tally.failures =
        heading(place + last_begun(process.output) +
                (process.timed_out
                     ? " did not end in time"
                     : " ended with exit code " + std::to_string(process.exit_code))) +
        process.output;
    return tally;
  }
  tally.passed = trial.report->count(Outcome::Passed);
  tally.failed = trial.report->count(Outcome::Failed);
  tally.skipped = trial.report->count(Outcome::Skipped);
  for (const TestCase& test : trial.report->cases) {
    if (test.outcome == Outcome::Skipped) {
      tally.skips.push_back(label + test.name + ": " +
                            skip_reason(process.output, test.name));
    } else if (test.outcome == Outcome::Failed) {
      tally.failures +=
          heading(place + test.name) + output_of_case(process.output, test.name);
    }
  }
  // A sanitizer speaks up after the last case.
  if (process.exit_code != 0 && tally.failed == 0) {
    tally.judge(place + "ended with exit code " + std::to_string(process.exit_code),
                false, process.output);
  }
  return tally;
}

/// Runs programs by `jobs` threads that take the next one each.
class Runner {
 public:
  Runner(const std::vector<const TestProgram*>& programs, const TestRunOptions& options)
      : programs_(programs), options_(options) {}

  TestTally run(int jobs) {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(jobs));
    for (int i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    return tally_;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < programs_.size() && !interrupted(); i = next_++) {
      const TestProgram& program = *programs_[i];
      say("testing " + options_.label + program.name);
      const TestTally tally = run_one(program);
      const std::lock_guard lock(mutex_);
      tally_.add(tally);
    }
  }

  TestTally run_one(const TestProgram& program) const {
    std::vector<std::string> arguments(program.command.begin() + 1,
                                       program.command.end());
    if (!options_.filter.empty()) {
      arguments.push_back("--gtest_filter=" + options_.filter);
    }
    auto environment = program.environment;
    environment.insert(environment.end(), options_.environment.begin(),
                       options_.environment.end());
    const Trial trial =
        run_tests(program.command[0], program.timeout_seconds * options_.patience,
                  arguments, environment);
    return tally_of(program, trial, options_.label);
  }

  void say(const std::string& text) {
    const std::lock_guard lock(mutex_);
    show_status(text + " (" + std::to_string(tally_.passed) + " passed, " +
                std::to_string(tally_.failed) + " failed so far)");
  }

  const std::vector<const TestProgram*>& programs_;
  const TestRunOptions& options_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  TestTally tally_;
};

}  // namespace

Expected<std::vector<TestProgram>> parse_test_programs(std::string_view text) {
  const Json listing = parse_json(text);
  std::vector<TestProgram> programs;
  try {
    for (const Json& test : listing.at("tests")) {
      TestProgram program;
      program.name = test.at("name");
      if (test.contains("command")) program.command = test["command"];
      for (const Json& property : test.value("properties", Json::array())) {
        read_property(property, program);
      }
      programs.push_back(std::move(program));
    }
  } catch (const Json::exception& fault) {
    return refuse(std::string("cannot read the list of tests: ") + fault.what(),
                  "Remove the folder build/host and try again.");
  }
  return programs;
}

Expected<std::vector<TestProgram>> list_test_programs(
    const std::filesystem::path& build) {
  const ProcessResult listing =
      run_process({"ctest", "--test-dir", build.string(), "--show-only=json-v1"});
  // CTest says first where it looks, on the same stream that we read.
  const std::size_t begin = listing.output.find('{');
  return parse_test_programs(begin == std::string::npos
                                 ? std::string_view()
                                 : std::string_view(listing.output).substr(begin));
}

void TestTally::add(const TestTally& other) {
  passed += other.passed;
  failed += other.failed;
  skipped += other.skipped;
  failures += other.failures;
  skips.insert(skips.end(), other.skips.begin(), other.skips.end());
}

void TestTally::judge(const std::string& name, bool good, const std::string& output) {
  if (good) {
    ++passed;
    return;
  }
  ++failed;
  failures += heading(name) + output;
}

std::string TestTally::closing_line() const {
  return std::to_string(passed) + " passed, " + std::to_string(failed) + " failed, " +
         std::to_string(skipped) + " skipped\n";
}

TestTally run_test_programs(const std::vector<TestProgram>& programs,
                            const TestRunOptions& options) {
  TestTally tally;
  std::vector<const TestProgram*> together;
  std::vector<const TestProgram*> alone;
  for (const TestProgram& program : programs) {
    if (program.command.empty()) {
      tally.judge(options.label + program.name + ": was not built", false, "");
    } else {
      (program.alone ? alone : together).push_back(&program);
    }
  }
  // None of the long ones is left to run by itself at the end.
  std::stable_sort(together.begin(), together.end(),
                   [](const TestProgram* a, const TestProgram* b) {
                     return a->timeout_seconds > b->timeout_seconds;
                   });
  tally.add(Runner(together, options).run(options.jobs));
  tally.add(Runner(alone, options).run(1));
  show_status("");
  return tally;
}

std::string output_of_case(const std::string& output, const std::string& name) {
  const std::string begun = "[ RUN      ] " + name + "\n";
  const std::size_t at = output.find(begun);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + begun.size();
  std::size_t end = output.size();
  for (const char* mark : {"[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] "}) {
    end = std::min(end, output.find(mark + name, begin));
  }
  return output.substr(begin, end - begin);
}

}  // namespace pipeline
