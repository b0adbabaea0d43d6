#include "grading/verdict.hpp"

#include <array>
#include <exception>

#include "classroom/json.hpp"

namespace pipeline {
namespace {

constexpr std::array kStatuses = {Status::Ok,         Status::Compile, Status::Timeout,
                                  Status::Crash,      Status::Memory,  Status::Missing,
                                  Status::GraderError};

/// What is thrown for a text that names no status, as the parser throws for the rest.
struct NoStatus : std::exception {
  const char* what() const noexcept override { return "a status that does not exist"; }
};

Status to_status(const std::string& text) {
  for (const Status status : kStatuses) {
    if (text == to_text(status)) return status;
  }
  throw NoStatus();
}

Json test_to_json(const TestVerdict& verdict) {
  const TestInfo& test = verdict.test;
  return {{"name", test.name},
          {"points", test.points},
          {"hint", test.hint},
          {"hidden", test.hidden},
          {"drawn", test.drawn},
          {"passed", verdict.passed},
          {"ended", to_text(verdict.ended)},
          {"message", verdict.message}};
}

TestVerdict parse_test(const Json& json) {
  TestVerdict verdict;
  json.at("name").get_to(verdict.test.name);
  json.at("points").get_to(verdict.test.points);
  json.at("hint").get_to(verdict.test.hint);
  json.at("hidden").get_to(verdict.test.hidden);
  json.at("drawn").get_to(verdict.test.drawn);
  json.at("passed").get_to(verdict.passed);
  verdict.ended = to_status(json.at("ended"));
  json.at("message").get_to(verdict.message);
  return verdict;
}

}  // namespace

std::string_view to_text(Status status) {
  switch (status) {
    case Status::Ok:
      return "ok";
    case Status::Compile:
      return "compile";
    case Status::Timeout:
      return "timeout";
    case Status::Crash:
      return "crash";
    case Status::Memory:
      return "memory";
    case Status::Missing:
      return "missing";
    case Status::GraderError:
      return "grader-error";
  }
  return "?";
}

int Verdict::points() const {
  int sum = 0;
  for (const TestVerdict& verdict : tests) {
    if (verdict.passed) sum += verdict.test.points;
  }
  return sum;
}

int Verdict::of() const {
  int sum = 0;
  for (const TestVerdict& verdict : tests) sum += verdict.test.points;
  return sum;
}

Json to_json(const Verdict& verdict) {
  Json tests = Json::array();
  for (const TestVerdict& test : verdict.tests) tests.push_back(test_to_json(test));
  return {{"status", to_text(verdict.status)},
          {"tier", verdict.tier},
          {"tests", tests},
          {"compiler_errors", verdict.compiler_errors},
          {"mistake", verdict.mistake},
          {"notes", verdict.notes},
          {"cpu_seconds", verdict.cpu_seconds},
          {"wall_seconds", verdict.wall_seconds}};
}

Expected<Verdict> parse_verdict(const Json& json) {
  try {
    Verdict verdict;
    verdict.status = to_status(json.at("status"));
    json.at("tier").get_to(verdict.tier);
    for (const Json& test : json.at("tests").get_ref<const Json::array_t&>())
      verdict.tests.push_back(parse_test(test));
    json.at("compiler_errors").get_to(verdict.compiler_errors);
    json.at("mistake").get_to(verdict.mistake);
    json.at("notes").get_to(verdict.notes);
    json.at("cpu_seconds").get_to(verdict.cpu_seconds);
    json.at("wall_seconds").get_to(verdict.wall_seconds);
    return verdict;
  } catch (const std::exception& fault) {
    return refuse(std::string("this is no verdict: ") + fault.what(),
                  "Remove the file, and grade again.");
  }
}

}  // namespace pipeline
