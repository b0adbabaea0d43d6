/// \file
/// What grading one submission came to: values, as they are cached and reported.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/json_fwd.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// `Ok`: the tests ran, whatever they said.
enum class Status : std::uint8_t {
  Ok,           ///< the tests ran
  Compile,      ///< the answer does not compile
  Timeout,      ///< a worker, or the compiler, took too long
  Crash,        ///< a worker ended before its test did
  Memory,       ///< a worker ran out of memory
  Missing,      ///< there is no answer
  GraderError,  ///< our fault: earns nothing, costs nothing, overwrites nothing
};

/// "ok", "compile", "timeout", "crash", "memory", "missing", "grader-error"
std::string_view to_text(Status status);

/// One test of the exercise, or one that an instructor hid.
struct TestInfo {
  std::string name;     ///< "Suite.Name"
  int points = 0;       ///< that it is worth
  std::string hint;     ///< of a hidden test
  bool hidden = false;  ///< from the instructor's folder
  bool drawn = false;   ///< its inputs depend on the secret seed

  /// Whether a student may read what it said.
  bool message_is_secret() const { return hidden || drawn; }
  bool operator==(const TestInfo&) const = default;
};

/// What one test came to.
struct TestVerdict {
  TestInfo test;        ///< which one
  bool passed = false;  ///< whether it earned its points
  /// Ok where the test came to its end; else why its worker did not: Timeout, Crash,
  /// Memory, GraderError. Where no test ran at all, the status of the verdict.
  Status ended = Status::Ok;
  /// What the test said, for a failure. May hold text that a student chose.
  std::string message;

  bool operator==(const TestVerdict&) const = default;
};

/// What an answer came to.
struct Verdict {
  Status status = Status::Missing;  ///< what became of it as a whole
  std::vector<TestVerdict> tests;   ///< all of them, in order, also where none ran
  std::string compiler_errors;      ///< first errors first, short
  /// The named mistake whose failures these are (its file's name), or empty.
  std::string mistake;
  std::vector<std::string> notes;  ///< "test.cpp was edited: ours was used"
  std::string tier;                ///< of the sandbox: "bubblewrap"
  double cpu_seconds = 0;   ///< of the compiler, the tests and the workers together
  double wall_seconds = 0;  ///< of judging, from start to end

  int points() const;  ///< of the tests that passed
  int of() const;      ///< of all tests
  bool operator==(const Verdict&) const = default;
};

/// As it is cached.
Json to_json(const Verdict& verdict);
/// Refuses what `to_json` did not write.
Expected<Verdict> parse_verdict(const Json& json);

}  // namespace pipeline
