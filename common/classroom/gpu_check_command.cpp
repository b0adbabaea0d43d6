// workbook gpu-check: every test and chapter at the GPU levels there are.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/gpus.hpp"
#include "classroom/pack.hpp"
#include "classroom/process.hpp"
#include "classroom/summary.hpp"
#include "classroom/test_programs.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
using Environment = std::vector<std::pair<std::string, std::string>>;

constexpr double kChapterTimeout = 120;  // seconds

/// Ninja where it is, else Make: a cluster node may have no Ninja.
std::string generator() {
  return run_process({"ninja", "--version"}).exit_code == 0 ? "Ninja"
                                                            : "Unix Makefiles";
}

Expected<fs::path> configure_cuda(const Workspace& at, const std::string& pack) {
  const fs::path build = at.root / "build" / "cuda";
  std::error_code error;
  // A folder that was configured for the other generator keeps it.
  const bool fresh = !fs::exists(build / "CMakeCache.txt", error);
  std::vector<std::string> command = {"cmake", "-S", at.root.string(), "--preset",
                                      "cuda",  "-B", build.string()};
  if (fresh) command.push_back("-G" + generator());
  if (!pack.empty())
    command.push_back("-DWORKBOOK_PACK=" + fs::absolute(pack).string());
  show_status("configuring for CUDA");
  const ProcessResult result = run_process(command);
  if (result.exit_code == 0) return build;
  std::fputs(result.output.c_str(), stderr);
  return absent(
      "the cuda preset cannot be configured here: see above",
      "Fill a folder elsewhere with ./workbook gpu-check --pack DIR, bring it "
      "here and say --from DIR.");
}

/// The GPU levels of this machine. With one GPU visible, devices share it as streams;
/// with several, each has its own as far as they go.
struct GpuLevel {
  std::string name;
  Environment environment;
};

std::vector<GpuLevel> levels(int gpus) {
  std::vector<GpuLevel> result = {
      {"one GPU, p streams", {{"CUDA_VISIBLE_DEVICES", "0"}}}};
  if (gpus > 1) result.push_back({std::to_string(gpus) + " GPUs", {}});
  return result;
}

using Rows = std::vector<std::vector<std::string>>;

std::string seconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return number(passed.count(), 1) + " s";
}

/// One row a test program; the failures in full go before the table.
TestTally run_tests_at(const GpuLevel& level, const std::vector<TestProgram>& programs,
                       Rows& rows) {
  TestTally all;
  for (const TestProgram& program : programs) {
    if (interrupted()) break;
    const auto start = std::chrono::steady_clock::now();
    TestRunOptions options;
    options.environment = level.environment;
    options.label = level.name + ": ";
    const TestTally tally = run_test_programs({program}, options);
    std::string line = tally.closing_line();
    line.pop_back();
    rows.push_back({"test " + program.name, level.name, line, seconds_since(start)});
    all.add(tally);
  }
  return all;
}

/// One row a chapter; true when all came to a good end.
bool run_chapters_at(const Workspace& at, const fs::path& build, const GpuLevel& level,
                     Rows& rows) {
  bool good = true;
  for (const Unit& chapter : list_units(at.root, "chapters")) {
    if (interrupted()) break;
    show_status("running chapter " + chapter.title() + " on " + level.name);
    const auto start = std::chrono::steady_clock::now();
    const fs::path report = build / ("ch" + chapter.number + ".gpu.json");
    std::error_code error;
    fs::remove(report, error);
    ProcessOptions options;
    options.environment = level.environment;
    options.timeout_seconds = kChapterTimeout;
    const ProcessResult run = run_process(
        {(build / ("ch" + chapter.number)).string(), "--report", report.string()},
        options);
    const auto text = read_file(report);
    const ChapterSummary summary =
        read_summary(chapter, run.exit_code, text ? *text : "");
    fs::remove(report, error);
    if (run.exit_code != 0) print("--- " + chapter.title() + "\n" + run.output + "\n");
    good = good && run.exit_code == 0;
    rows.push_back(
        {"chapter " + chapter.title(), summary.reported ? summary.level : level.name,
         summary.reported ? number(summary.measured, 4) + " for " +
                                number(summary.predicted, 4) + " predicted"
                          : "FAILED, exit code " + std::to_string(run.exit_code),
         seconds_since(start)});
  }
  return good;
}

}  // namespace

int gpu_check_command(const Workspace& at, const std::string& pack) {
  const int gpus = count_gpus();
  if (gpus == 0) {
    return complain({"there is no GPU here: nvidia-smi shows none",
                     "Run this on a machine with an NVIDIA GPU; ./workbook gpu-check "
                     "--pack DIR fills a folder to take there.",
                     ErrorKind::Absent});
  }
  const auto build = configure_cuda(at, pack);
  if (interrupted()) return kInterrupted;
  if (!build) return complain(build.error());
  const BuildResult built = build_targets(*build, {});
  if (interrupted()) return kInterrupted;
  if (!built.good) {
    std::fputs(compiler_errors(built.output).c_str(), stderr);
    std::fputs("workbook: the cuda preset does not compile\nMend the first error.\n",
               stderr);
    return kFailed;
  }
  const auto programs = list_test_programs(*build);
  if (!programs) return complain(programs.error());
  if (!pack.empty()) {
    setenv("WORKBOOK_DATA", fs::absolute(fs::path(pack) / "data").c_str(), 0);
  }
  Rows rows = {{"what", "level", "result", "time"}};
  TestTally tally;
  bool chapters_good = true;
  for (const GpuLevel& level : levels(gpus)) {
    tally.add(run_tests_at(level, *programs, rows));
    chapters_good = run_chapters_at(at, *build, level, rows) && chapters_good;
  }
  if (gpus == 1) rows.push_back({"all of it", "p GPUs", "not run: one GPU here", ""});
  if (interrupted()) return kInterrupted;
  print(tally.failures + format_table(rows, {3}) + tally.closing_line());
  return tally.failed == 0 && chapters_good ? kGood : kFailed;
}

int pack_command(const std::string& folder) {
  const auto filled = fill_pack(folder);
  if (!filled) return complain(filled.error());
  print("Filled " + folder +
        "\nBring it and this checkout to the machine with the GPU, then run there:\n"
        "  ./workbook gpu-check --from DIR\n");
  return kGood;
}

}  // namespace pipeline
