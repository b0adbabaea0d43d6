// Builds, lists and copies aside what the tests of an exercise need.
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "classroom/console.hpp"
#include "classroom/file_lock.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/starter.hpp"
#include "grading/answer.hpp"
#include "grading/judge.hpp"
#include "grading/round.hpp"
#include "grading/sha256.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// To be counted up when verdicts come to be found in another way.
constexpr const char* kRevision = "1";

/// The limits of the one run against the solution, which we trust. They are there to
/// end it at all.
JudgeLimits trusting_limits() {
  JudgeLimits limits;
  for (Limits* step : {&limits.compiler, &limits.worker, &limits.tests}) {
    step->cpu_seconds = 120;
    step->wall_seconds = 600;
  }
  return limits;
}

/// What the build folder was configured with, or an empty text.
std::string cached(const fs::path& build, const std::string& variable) {
  std::istringstream lines(read_file(build / "CMakeCache.txt").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with(variable + ":")) return line.substr(line.find('=') + 1);
  }
  return "";
}

/// Configures anew where the build has other hidden tests than are asked for.
Expected<void> set_hidden(const fs::path& build, const fs::path& hidden) {
  std::error_code error;
  if (!hidden.empty() && !fs::is_directory(hidden, error)) {
    return refuse("there is no folder " + hidden.string(),
                  "Name the folder that holds NN_name/*.cpp with hidden tests.");
  }
  const std::string wanted = hidden.empty() ? "" : fs::canonical(hidden).string();
  if (cached(build, "WORKBOOK_HIDDEN") == wanted) return {};
  show_status("configuring");
  const auto configured = run_process(
      {"cmake", wanted.empty() ? "-UWORKBOOK_HIDDEN" : "-DWORKBOOK_HIDDEN=" + wanted,
       build.string()});
  show_status("");
  if (configured.exit_code == 0) return {};
  return refuse("the hidden tests cannot be configured: " + configured.output,
                "Look into " + wanted + ".");
}

/// The first line in which a compiler names an error.
std::string first_error(const std::string& output) {
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.find("error: ") != std::string::npos) return line;
  }
  return "the build stopped";
}

Expected<void> build(const fs::path& folder, const std::vector<std::string>& targets) {
  const BuildResult built = build_targets(folder, targets);
  if (built.good) return {};
  return refuse("the tests do not build: " + first_error(built.output),
                "Correct them: cmake --build " + folder.string() + " --target " +
                    targets.front());
}

/// The names in `: a b \` and the lines after it that a compiler's -MM prints.
std::vector<fs::path> parse_rule(const std::string& rule) {
  std::vector<fs::path> files;
  std::istringstream words(rule.substr(std::min(rule.size(), rule.find(": ") + 1)));
  std::string word;
  while (words >> word) {
    if (word != "\\") files.emplace_back(word);
  }
  return files;
}

bool is_under(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Copies the headers of ours that `source` includes to where one -I finds them all.
Expected<void> copy_headers(const Workspace& at, const fs::path& exercise,
                            const fs::path& source, const fs::path& into) {
  const fs::path common = at.root / "common";
  // Where the student writes tests, exercise.hpp includes that of the tested one.
  const fs::path exercises = exercise.parent_path();
  const auto listed = run_process(
      {"g++", "-std=c++20", "-MM", "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP",
       "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-I" + exercise.string(),
       "-I" + common.string(), "-I" + exercises.string(), source.string()});
  if (listed.exit_code != 0) {
    return refuse("cannot list the headers of " + source.string() + ": " +
                      first_error(listed.output),
                  "See that g++ is installed and that the file compiles.");
  }
  for (const fs::path& file : parse_rule(listed.output)) {
    const fs::path real = file.lexically_normal();
    if (real == source) continue;
    const fs::path& base = is_under(real, exercise)    ? exercise
                           : is_under(real, exercises) ? exercises
                                                       : common;
    if (!is_under(real, base)) {
      return refuse(source.string() + " includes " + real.string(),
                    "Headers of an exercise stand in exercises or in common.");
    }
    const fs::path copy = into / real.lexically_relative(base);
    fs::create_directories(copy.parent_path());
    fs::copy_file(real, copy, fs::copy_options::overwrite_existing);
  }
  return {};
}

/// All that an answer may include: what the contract and the starter do.
Expected<void> gather_headers(const Workspace& at, const Unit& exercise,
                              const std::string& solution, const fs::path& into) {
  const fs::path folder =
      (at.root / "exercises" / exercise.folder()).lexically_normal();
  const TemporaryFolder scratch;
  // Derived, since the file in the checkout may have been solved.
  const fs::path starter = scratch / "exercise.cpp";
  return derive_starter(solution)
      .and_then([&](const std::string& text) { return write_file(starter, text); })
      .and_then([&] { return copy_headers(at, folder, starter, into); })
      .and_then(
          [&] { return copy_headers(at, folder, folder / "exercise.hpp", into); });
}

/// Makes all of it readable for a sandbox's user, but no more than `tests`: where
/// sandboxes see the files of others, these tests are for us alone.
void open_to_sandbox(const Kit& kit, Tier tier) {
  for (const auto& entry :
       fs::recursive_directory_iterator(kit.headers.parent_path())) {
    fs::permissions(entry, fs::perms(entry.is_directory() ? 0755 : 0644));
  }
  fs::permissions(kit.headers.parent_path(), fs::perms(0755));
  fs::permissions(kit.tests, fs::perms(tier == Tier::OwnUser ? 0700 : 0755));
}

/// The answers that stand in where tests are graded (round.hpp): beside them, and for
/// us alone.
void copy_stand_ins(const Workspace& at, const Kit& kit) {
  const fs::path folder = fs::path(kit.exercise.folder()) / "stand_ins";
  const fs::path copy = kit.folder->path() / folder;
  fs::create_directories(copy.parent_path());
  fs::permissions(copy.parent_path(), fs::perms(0700));
  fs::copy(at.build / "exercises" / folder, copy, fs::copy_options::recursive);
}

/// Files into kit.folder: tests, kit/kit.o, kit/headers.
Expected<void> copy_aside(const Workspace& at, const std::string& solution, Tier tier,
                          Kit& kit) {
  const fs::path programs = at.build / "exercises";
  const TemporaryFolder& folder = *kit.folder;
  kit.tests = folder / "tests";
  kit.object = folder / "kit" / "kit.o";
  kit.headers = folder / "kit" / "headers";
  fs::create_directories(kit.headers);
  fs::copy_file(programs / ("ex" + kit.exercise.number + "_grade"), kit.tests);
  fs::copy_file(programs / kit.exercise.folder() / "kit.o", kit.object);
  if (kit.exercise.writes_tests()) copy_stand_ins(at, kit);
  auto gathered = gather_headers(at, kit.exercise, solution, kit.headers);
  open_to_sandbox(kit, tier);
  return gathered;
}

/// The tests of a program, in their order.
std::vector<std::string> tests_in(const fs::path& program) {
  const auto listed = run_process({program.string(), "--gtest_list_tests"});
  std::vector<std::string> names;
  std::istringstream lines(listed.output);
  std::string suite;
  std::string line;
  while (std::getline(lines, line)) {
    // What follows # is the value of a parameter.
    line = line.substr(0, line.find("  #"));
    if (line.starts_with("  ")) {
      names.push_back(suite + line.substr(2));
    } else {
      suite = line;
    }
  }
  return names;
}

/// The tests that students have, from the program that puts the solution to them.
Expected<std::set<std::string>> public_tests(const Workspace& at,
                                             const Unit& exercise) {
  const std::string program = "sol" + exercise.number;
  if (const auto built = build(at.build, {program}); !built)
    return tl::unexpected(built.error());
  const std::vector<std::string> names = tests_in(at.build / "exercises" / program);
  return std::set<std::string>(names.begin(), names.end());
}

/// What is wrong with how the solution fared, or an empty text.
std::string complaint(const BuiltAnswer& built) {
  if (!built.worker.empty()) return "";
  return "the solution does not compile in the sandbox: " + built.compiler.output;
}
std::string complaint(const AnswerRun& run) {
  if (!run.report) return run.report.error().what;
  if (run.report->cases.empty()) return "there is no test";
  for (const TestCase& test : run.report->cases) {
    if (test.outcome != Outcome::Passed)
      return "the solution does not pass " + test.name + ": " + test.message;
  }
  if (run.report->points() == 0) return "no test says what it is worth: POINTS(n)";
  return run.tests.exit_code == 0 ? "" : "the tests of the solution end badly";
}

tl::unexpected<Error> cannot_judge(const Unit& exercise, const std::string& why) {
  return refuse("exercise " + exercise.number + " cannot be graded: " + why,
                "Correct its tests or its solution; ./workbook test shows both.");
}

/// All tests at once, or, where each uses up its workers, one after the other.
AnswerRun run_all(const Kit& kit, const fs::path& worker, const fs::path& scratch,
                  const JudgeLimits& limits, const JudgeOptions& options) {
  if (kit.workers == 1) return run_answer(kit, worker, "*", scratch, limits, options);
  AnswerRun all;
  all.report = TestReport();
  for (const std::string& test : tests_in(kit.tests)) {
    AnswerRun run = run_answer(kit, worker, test, scratch, limits, options);
    if (!run.report || run.tests.exit_code != 0) return run;
    all.report->cases.insert(all.report->cases.end(), run.report->cases.begin(),
                             run.report->cases.end());
  }
  return all;
}

/// Every test in the order of the program, but hidden ones last.
Expected<void> list_tests(const Workspace& at, const std::string& solution,
                          bool any_hidden, Tier tier, Kit& kit) {
  JudgeOptions options;
  options.tier = tier;
  const JudgeLimits limits = trusting_limits();
  const TemporaryFolder scratch;
  const BuiltAnswer built =
      build_answer(kit, solution, scratch.path(), limits.compiler, options);
  if (const std::string wrong = complaint(built); !wrong.empty())
    return cannot_judge(kit.exercise, wrong);
  const AnswerRun run = run_all(kit, built.worker, scratch.path(), limits, options);
  if (const std::string wrong = complaint(run); !wrong.empty())
    return cannot_judge(kit.exercise, wrong);
  std::set<std::string> open;
  if (any_hidden) {
    auto names = public_tests(at, kit.exercise);
    if (!names) return tl::unexpected(names.error());
    open = std::move(*names);
  }
  for (const TestCase& test : run.report->cases) {
    const bool hidden = any_hidden && open.count(test.name) == 0;
    kit.list.push_back({test.name, test.points, test.hint, hidden, test.drawn});
  }
  std::stable_partition(kit.list.begin(), kit.list.end(),
                        [](const TestInfo& test) { return !test.hidden; });
  return {};
}

/// One that changes with everything that may change a verdict but the answer and the
/// seed.
Expected<std::string> hash_of(const Kit& kit) {
  std::vector<fs::path> files = {kit.tests, kit.object};
  for (const fs::path& folder :
       {kit.headers, kit.folder->path() / kit.exercise.folder()}) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::string all = kRevision;
  for (const fs::path& file : files) {
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    all += "\n" + file.lexically_relative(kit.folder->path()).string() + " " +
           sha256(*text);
  }
  const auto compiler = run_process({"g++", "--version"});
  return sha256(all + "\n" + compiler.output + to_text(JudgeLimits()));
}

/// The folder of `path` and those above it that keep others out, or nothing.
bool is_closed(fs::path path) {
  for (path = fs::absolute(path); path != path.root_path(); path = path.parent_path()) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0 && (status.st_mode & S_IXOTH) == 0)
      return true;
  }
  return false;
}

}  // namespace

Expected<Kit> make_kit(const Workspace& at, const Unit& exercise,
                       const fs::path& hidden, Tier tier) {
  for (const fs::path& folder : {at.root, at.build}) {
    if (tier == Tier::OwnUser && !is_closed(folder)) {
      return refuse("in the sandbox 'own-user' answers could read the solutions in " +
                        folder.string(),
                    "Close it to them: chmod o-rwx " + folder.string());
    }
  }
  const auto solution =
      read_file(at.root / "solutions" / exercise.folder() / "exercise.cpp");
  if (!solution) return tl::unexpected(solution.error());
  Kit kit;
  kit.exercise = exercise;
  kit.workers = exercise.writes_tests() ? kWorkersInCase : 1;
  kit.folder = std::make_shared<TemporaryFolder>();
  const std::string target = "ex" + exercise.number;
  // From configuring to copying: another grader may want other hidden tests.
  const FileLock lock(build_lock(at.build));
  const auto made = set_hidden(at.build, hidden)
                        .and_then([&] {
                          return build(at.build, {target + "_grade", target + "_kit"});
                        })
                        .and_then([&] { return copy_aside(at, *solution, tier, kit); })
                        .and_then([&] {
                          return list_tests(at, *solution, !hidden.empty(), tier, kit);
                        });
  if (!made) return tl::unexpected(made.error());
  return hash_of(kit).map([&](std::string hash) {
    kit.hash = std::move(hash);
    return kit;
  });
}

}  // namespace pipeline
