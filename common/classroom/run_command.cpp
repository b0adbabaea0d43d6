// workbook run: one chapter, or all of them and the table of what came out.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "classroom/catalogue.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/summary.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

int cannot_build(const Unit& chapter, const BuildResult& built) {
  if (interrupted()) return kInterrupted;
  std::fputs(compiler_errors(built.output).c_str(), stderr);
  return complain({"chapter " + chapter.number + " does not compile",
                   "Mend the first error above."},
                  kFailed);
}

/// Builds one chapter and becomes it: its output, its exit code, its Ctrl-C.
int run_one(const Workspace& at, const Unit& chapter,
            std::vector<std::string> arguments) {
  const std::string target = "ch" + chapter.number;
  const BuildResult built = build_targets(at.build, {target});
  if (!built.good) return cannot_build(chapter, built);
  arguments.insert(arguments.begin(), (at.build / target).string());
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  return complain({"cannot start " + arguments[0], "Try ./workbook run once more."});
}

/// Runs a built chapter at its small defaults and reads what it reports.
ChapterSummary run_for_summary(const Workspace& at, const Unit& chapter, bool quiet) {
  const fs::path report = at.build / ("ch" + chapter.number + ".report.json");
  std::error_code error;
  fs::remove(report, error);
  ProcessOptions options;
  options.capture = quiet;
  const ProcessResult run = run_process(
      {(at.build / ("ch" + chapter.number)).string(), "--report", report.string()},
      options);
  const auto text = read_file(report);
  ChapterSummary summary = read_summary(chapter, run.exit_code, text ? *text : "");
  fs::remove(report, error);
  return summary;
}

int run_all(const Workspace& at, bool as_json) {
  const std::vector<Unit> chapters = list_units(at.root, "chapters");
  std::vector<std::string> targets;
  targets.reserve(chapters.size());
  for (const Unit& chapter : chapters) targets.push_back("ch" + chapter.number);
  const BuildResult built = build_targets(at.build, targets);
  if (interrupted()) return kInterrupted;
  if (!built.good) {
    std::fputs(compiler_errors(built.output).c_str(), stderr);
    return complain({"not every chapter compiles", "Mend the first error above."},
                    kFailed);
  }
  std::vector<ChapterSummary> summaries;
  int worst = kGood;
  for (const Unit& chapter : chapters) {
    if (as_json) show_status("running chapter " + chapter.title());
    summaries.push_back(run_for_summary(at, chapter, as_json));
    if (interrupted()) return kInterrupted;
    if (!as_json) print("\n");
    if (worst == kGood) worst = summaries.back().exit_code;
  }
  print(as_json ? summaries_as_json(summaries) : summaries_as_text(summaries));
  return worst;
}

}  // namespace

int run_command(const Workspace& at, std::vector<std::string> arguments) {
  const bool all =
      arguments.empty() || arguments[0] == "all" || arguments[0] == "--json";
  if (!all) {
    const auto chapter =
        find_unit(list_units(at.root, "chapters"), "chapter", arguments[0]);
    if (!chapter) return complain(chapter.error());
    arguments.erase(arguments.begin());
    return run_one(at, *chapter, std::move(arguments));
  }
  if (!arguments.empty() && arguments[0] == "all") arguments.erase(arguments.begin());
  const bool as_json = arguments == std::vector<std::string>{"--json"};
  if (!arguments.empty() && !as_json) {
    return complain({"'" + arguments[0] + "' makes no sense for all chapters at once",
                     "Name one chapter: ./workbook run 09 " + arguments[0] + " …"});
  }
  return run_all(at, as_json);
}

}  // namespace pipeline
