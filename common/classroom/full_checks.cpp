#include "classroom/full_checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "classroom/catalogue.hpp"
#include "classroom/console.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// Configures build/PRESET; the result is what CMake said when it failed.
Expected<fs::path> configure(const Workspace& at, const std::string& preset) {
  show_status("configuring " + preset);
  const fs::path build = at.root / "build" / preset;
  const ProcessResult result = run_process(
      {"cmake", "-S", at.root.string(), "--preset", preset, "-B", build.string()});
  if (result.exit_code == 0) return build;
  return refuse(result.output, "");
}

/// Builds and runs test programs of another preset. Exercises are left out: their
/// programs differ from the host's in nothing that a sanitizer could see.
TestTally test_preset(const Workspace& at, const std::string& preset) {
  TestTally tally;
  const auto build = configure(at, preset);
  if (!build) {
    tally.judge(preset + ": configuring", false, build.error().what);
    return tally;
  }
  const auto is_exercises = [](const TestProgram& program) {
    return program.name == "exercises";
  };
  auto known = list_test_programs(*build);
  std::vector<std::string> targets;
  if (known) {
    std::erase_if(*known, is_exercises);
    for (const TestProgram& program : *known) targets.push_back(program.target());
  }
  const BuildResult built = build_targets(*build, targets);
  tally.judge(preset + ": the build", built.good, compiler_errors(built.output));
  auto programs = list_test_programs(*build);
  if (!built.good || !programs) return tally;
  std::erase_if(*programs, is_exercises);
  TestRunOptions options;
  options.patience = kFullPatience;
  options.label = preset + ": ";
  tally.add(run_test_programs(*programs, options));
  return tally;
}

/// Sources of the workbook, without the students' own files.
std::vector<std::string> source_files(const Workspace& at) {
  std::vector<std::string> files;
  for (const char* folder : {"common", "chapters", "exercises", "solutions"}) {
    for (const auto& entry : fs::recursive_directory_iterator(at.root / folder)) {
      const fs::path& path = entry.path();
      const bool students =
          std::string_view(folder) == "exercises" && path.filename() == "exercise.cpp";
      const std::string kind = path.extension().string();
      if ((kind == ".cpp" || kind == ".hpp") && !students)
        files.push_back(path.string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Judges by one command's exit code. 127: the tool is not here.
void judge_command(TestTally& tally, const std::string& name,
                   const std::vector<std::string>& command) {
  show_status("checking: " + name);
  const ProcessResult result = run_process(command);
  if (result.exit_code == 127) {
    ++tally.skipped;
    tally.skips.push_back(name + ": no " + command[0] + " here");
    return;
  }
  tally.judge(name, result.exit_code == 0, result.output);
}

TestTally check_style(const Workspace& at) {
  TestTally tally;
  std::vector<std::string> format = {"clang-format", "--dry-run", "--Werror"};
  for (const std::string& file : source_files(at)) format.push_back(file);
  judge_command(tally, "formatting", format);
  if (run_process({"clang-tidy", "--version"}).exit_code != 0) {
    ++tally.skipped;
    tally.skips.emplace_back("clang-tidy: no clang-tidy here");
    return tally;
  }
  // A build, so that what was clean is not looked at again until it changes.
  const auto build = configure(at, "tidy");
  if (!build) {
    tally.judge("clang-tidy: configuring", false, build.error().what);
    return tally;
  }
  const BuildResult built = build_targets(*build, {}, OnError::GoOn);
  tally.judge("clang-tidy", built.good, compiler_errors(built.output));
  return tally;
}

/// Looks for inputs that break a parser, for a minute from the corpus on. `folder`
/// holds the search, whose program is `name`, and its corpus.
void search(TestTally& tally, const Workspace& at, const fs::path& build,
            const std::string& folder, const std::string& name) {
  const BuildResult built = build_targets(build, {name});
  tally.judge("fuzz: building " + name, built.good, compiler_errors(built.output));
  if (!built.good) return;
  // What it finds is kept: the next search begins where this one ends.
  const fs::path found = build / "found" / name;
  std::error_code ignored;
  fs::create_directories(found, ignored);
  show_status("fuzzing for a minute: " + name);
  const ProcessResult result = run_process(
      {(build / folder / name).string(), "-max_total_time=60", "-timeout=20",
       "-rss_limit_mb=2048", "-verbosity=0", "-artifact_prefix=" + build.string() + "/",
       found.string(), (at.root / folder / "corpus").string()});
  tally.judge("fuzz: a minute of " + name, result.exit_code == 0, result.output);
}

TestTally check_fuzz(const Workspace& at) {
  TestTally tally;
  if (run_process({"clang++", "--version"}).exit_code != 0) {
    ++tally.skipped;
    tally.skips.emplace_back("fuzz: no clang++ here");
    return tally;
  }
  const auto build = configure(at, "fuzz");
  if (!build) {
    tally.judge("fuzz: configuring", false, build.error().what);
    return tally;
  }
  search(tally, at, *build, "common/schedule/fuzz", "parsers_fuzz");
  search(tally, at, *build, "common/grading/fuzz", "replies_fuzz");
  search(tally, at, *build, "common/lab/fuzz", "lab_fuzz");
  return tally;
}

/// Compiling and linking is all that a machine without a GPU can do; the tests that
/// need one say that they were skipped.
TestTally check_cuda(const Workspace& at) {
  TestTally tally;
  if (run_process({"nvcc", "--version"}).exit_code != 0) {
    ++tally.skipped;
    tally.skips.emplace_back("cuda: no nvcc here");
    return tally;
  }
  const auto build = configure(at, "cuda");
  if (!build) {
    tally.judge("cuda: configuring", false, build.error().what);
    return tally;
  }
  const BuildResult built = build_targets(*build, {});
  tally.judge("cuda: the build", built.good, compiler_errors(built.output));
  const auto programs = list_test_programs(*build);
  if (!built.good || !programs) return tally;
  TestRunOptions options;
  options.patience = kFullPatience;
  options.label = "cuda: ";
  tally.add(run_test_programs(*programs, options));
  return tally;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> full_environment() {
  return {{"WORKBOOK_FULL", "1"}};
}

void report_part(const std::string& name, TestTally& part) {
  print(name + ": " + part.closing_line() + part.failures);
  part.failures.clear();
}

TestTally run_full_checks(const Workspace& at) {
  TestTally tally;
  // This takes hours: each part says how it went, and why, as soon as it is done.
  const auto part = [&](const std::string& name, auto&& check) {
    if (interrupted()) return;
    TestTally one = check();
    if (interrupted()) return;
    report_part(name, one);
    tally.add(one);
  };
  for (const char* preset : {"asan", "tsan"})
    part(preset, [&] { return test_preset(at, preset); });
  part("fuzz", [&] { return check_fuzz(at); });
  part("style", [&] { return check_style(at); });
  part("cuda", [&] { return check_cuda(at); });
  return tally;
}

}  // namespace pipeline
