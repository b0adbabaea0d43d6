#include "classroom/test_report.hpp"

#include <algorithm>
#include <cstdlib>

#include "classroom/console.hpp"
#include "classroom/json.hpp"

namespace pipeline {
namespace {

std::string messages(const Json& failures) {
  std::string joined;
  for (const Json& failure : failures) {
    if (!joined.empty()) joined += "\n";
    joined += failure.value("failure", "");
  }
  return joined;
}

TestCase to_case(const std::string& suite, const Json& test) {
  TestCase result;
  result.name = suite + "." + test.value("name", "");
  if (test.contains("failures")) {
    result.outcome = Outcome::Failed;
    result.message = messages(test["failures"]);
  } else if (test.value("result", "") == "SKIPPED") {
    result.outcome = Outcome::Skipped;
  }
  const std::string points = test.value("points", "0");
  result.points = static_cast<int>(std::strtol(points.c_str(), nullptr, 10));
  result.hint = test.value("hint", "");
  result.drawn = test.contains("drawn");
  result.voids_all = test.contains("voids_all");
  return result;
}

/// "/home/…/test.cpp:57"
bool is_place(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == line.npos || !line.substr(0, colon).ends_with("pp")) return false;
  const std::string_view number = line.substr(colon + 1);
  return !number.empty() && number.find_first_not_of("0123456789") == number.npos;
}

}  // namespace

int TestReport::count(Outcome outcome) const {
  return static_cast<int>(
      std::count_if(cases.begin(), cases.end(),
                    [&](const TestCase& test) { return test.outcome == outcome; }));
}

int TestReport::points() const {
  int sum = 0;
  for (const TestCase& test : cases) sum += test.points;
  return sum;
}

int TestReport::points_earned() const {
  int sum = 0;
  for (const TestCase& test : cases) {
    if (test.outcome == Outcome::Passed) sum += test.points;
  }
  return sum;
}

const TestCase* TestReport::find(std::string_view name) const {
  const auto found =
      std::find_if(cases.begin(), cases.end(),
                   [&](const TestCase& test) { return test.name == name; });
  return found == cases.end() ? nullptr : &*found;
}

Expected<TestReport> parse_test_report(std::string_view text) {
  const Json report = parse_json(text);
  if (!report.is_object() || !report.contains("testsuites") ||
      !report["testsuites"].is_array()) {
    return refuse("the test program left no readable report",
                  "It probably crashed: look at what it printed last.");
  }
  TestReport result;
  try {
    for (const Json& suite : report["testsuites"]) {
      for (const Json& test : suite.at("testsuite")) {
        if (test.value("status", "") != "RUN") continue;
        result.cases.push_back(to_case(suite.at("name"), test));
      }
    }
  } catch (const Json::exception& exception) {
    return refuse(std::string("the test report is damaged: ") + exception.what(),
                  "Run the test program once more.");
  }
  return result;
}

std::string test_in_words(std::string_view full_name) {
  const std::size_t dot = full_name.find('.');
  if (dot == full_name.npos) return sentence(full_name);
  return sentence(full_name.substr(0, dot)) + " " + sentence(full_name.substr(dot + 1));
}

std::string without_places(std::string_view message) {
  std::string kept;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    // `FAIL()` puts a line of its own below the place.
    if (!is_place(line) && line != "Failed") {
      kept +=
          std::string(kept.empty() ? "" : "\n") + std::string(message.substr(0, end));
    }
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return kept;
}

}  // namespace pipeline
