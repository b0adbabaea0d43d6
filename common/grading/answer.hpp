/// \file
/// One answer, compiled and run. All of it is in sandboxes but the tests, which are
/// ours.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/test_report.hpp"
#include "grading/judge.hpp"
#include "grading/sandbox.hpp"

namespace pipeline {

/// Where a sandbox finds things.
inline constexpr const char* kBoxKit = "/box/kit";
inline constexpr const char* kBoxAnswer = "/box/exercise.cpp";  ///< the student's file
/// A folder that the compiler may write to.
inline constexpr const char* kBoxOutput = "/box/output";
/// The program that was made of the file.
inline constexpr const char* kBoxWorker = "/box/worker";

/// What each step of judging may take. `Limits::processes` counts threads too.
struct JudgeLimits {
  /// Of the compiler and the linker.
  Limits compiler = {.cpu_seconds = 8,
                     .wall_seconds = 10,
                     .memory_bytes = std::int64_t{2} << 30,
                     .file_bytes = std::int64_t{64} << 20,
                     .scratch_bytes = std::int64_t{64} << 20,
                     .output_bytes = std::int64_t{64} << 10,
                     .processes = 16};
  // Of few processes with little memory: only their product bounds what a worker that
  // forks can take from the machine.
  /// Of one worker.
  Limits worker = {.cpu_seconds = 2,
                   .wall_seconds = 5,
                   .memory_bytes = std::int64_t{512} << 20,
                   .file_bytes = std::int64_t{1} << 20,
                   .scratch_bytes = std::int64_t{4} << 20,
                   .output_bytes = std::int64_t{4} << 10,
                   .processes = 4};
  /// Of the tests, which are ours.
  Limits tests = {.cpu_seconds = 4,
                  .wall_seconds = 5,
                  .memory_bytes = std::int64_t{2} << 30,
                  .file_bytes = std::int64_t{16} << 20,
                  .scratch_bytes = std::int64_t{1} << 20,
                  .output_bytes = std::int64_t{4} << 10,
                  .processes = 0};
  double all_seconds = 19;  ///< of wall time, beside 1 s to clear away
};

/// For a hash: all of them, in a row.
std::string to_text(const JudgeLimits& limits);

/// Longer limits of wall time, or none at all to speak of.
JudgeLimits limits_of(const JudgeOptions& options);

/// What compiling an answer came to.
struct BuiltAnswer {
  std::filesystem::path worker;  ///< empty where there is none
  BoxReport compiler;            ///< how the compiler ended, and what it said
};

/// Compiles `answer` in `scratch`, a folder that the sandbox's user can reach.
BuiltAnswer build_answer(const Kit& kit, std::string_view answer,
                         const std::filesystem::path& scratch, const Limits& limits,
                         const JudgeOptions& options);

/// What the tests and the worker came to that answered them.
struct AnswerRun {
  Expected<TestReport> report;     ///< or why there is none
  BoxReport tests;                 ///< how the tests ended
  std::vector<BoxReport> workers;  ///< by slot: how they ended
};

/// Runs the tests that `filter` names, each in one process, with `kit.workers` new
/// workers.
AnswerRun run_answer(const Kit& kit, const std::filesystem::path& worker,
                     const std::string& filter, const std::filesystem::path& scratch,
                     const JudgeLimits& limits, const JudgeOptions& options);

/// What an ELF program takes before it runs: its code and its global arrays. One that
/// takes more than its limit is ended by the kernel without a word.
double static_bytes(const std::filesystem::path& program);

/// Whether a worker ended before the test had what it asked for.
bool is_cut_off(const TestCase& test);

/// What the compiler said, short, first errors first, with no path of ours.
std::string short_errors(std::string_view output);

}  // namespace pipeline
