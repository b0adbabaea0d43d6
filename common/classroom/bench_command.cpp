// workbook bench: times and speeds, as ratios within one run.
#include <algorithm>
#include <cstdio>
#include <system_error>

#include "classroom/bench_report.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// The programs common/PART/…_bench of a build, by name, and that of the site.
std::vector<fs::path> bench_programs(const Workspace& at) {
  std::vector<fs::path> programs;
  std::error_code error;
  for (const char* folder : {"common", "docs"}) {
    for (const auto& part : fs::directory_iterator(at.build / folder, error)) {
      if (!part.is_directory()) continue;
      for (const auto& entry : fs::directory_iterator(part.path(), error)) {
        if (entry.path().string().ends_with("_bench")) programs.push_back(entry.path());
      }
    }
  }
  std::sort(programs.begin(), programs.end());
  return programs;
}

/// One at a time: they measure.
Expected<std::vector<BenchRow>> run_program(const fs::path& program,
                                            const std::string& filter) {
  const fs::path report = program.string() + ".json";
  std::vector<std::string> command = {program.string(),
                                      "--benchmark_out=" + report.string(),
                                      "--benchmark_out_format=json"};
  if (!filter.empty()) command.push_back("--benchmark_filter=" + filter);
  const ProcessResult run = run_process(command);
  const auto text = read_file(report);
  std::error_code error;
  fs::remove(report, error);
  if (run.exit_code == 0 && text) return parse_bench(*text);
  std::fputs(run.output.c_str(), stderr);
  return refuse("ended with exit code " + std::to_string(run.exit_code),
                "What it printed is above.");
}

}  // namespace

int bench_command(const Workspace& at, const std::string& filter, bool as_json) {
  const BuildResult built = build_targets(at.build, {"benches"});
  if (interrupted()) return kInterrupted;
  if (!built.good) {
    std::fputs(compiler_errors(built.output).c_str(), stderr);
    std::fputs("workbook: not every benchmark compiles\nMend the first error above.\n",
               stderr);
    return kFailed;
  }
  std::vector<BenchRow> rows;
  for (const fs::path& program : bench_programs(at)) {
    show_status("measuring " + program.filename().string());
    const auto measured = run_program(program, filter);
    if (interrupted()) return kInterrupted;
    if (!measured) {
      BenchRow crashed;
      crashed.name = program.filename().string();
      crashed.error = measured.error().what;
      rows.push_back(crashed);
      continue;
    }
    rows.insert(rows.end(), measured->begin(), measured->end());
  }
  if (rows.empty()) {
    return complain({"no benchmark matches '" + filter + "'",
                     "See all: ./workbook bench, or bench engine, bench product"});
  }
  print(as_json ? bench_as_json(rows) : bench_as_text(rows));
  const bool missed = std::any_of(rows.begin(), rows.end(),
                                  [](const BenchRow& row) { return row.misses(); });
  return missed ? kFailed : kGood;
}

}  // namespace pipeline
