// workbook record: runs a chapter and keeps what it measured, for its page.
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "classroom/catalogue.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/record.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// What the chapter's program came to, and what its --report says. It speaks for itself
/// meanwhile.
struct Run {
  int exit_code = kGood;
  std::string report;
};

Run run_chapter(const Workspace& at, const Unit& chapter) {
  const std::string target = "ch" + chapter.number;
  const fs::path report = at.build / (target + ".record.json");
  std::error_code ignored;
  fs::remove(report, ignored);
  ProcessOptions options;
  options.capture = false;
  const ProcessResult run =
      run_process({(at.build / target).string(), "--report", report.string()}, options);
  std::string text = read_file(report).value_or("");
  fs::remove(report, ignored);
  return {run.exit_code, std::move(text)};
}

/// The record of a run that has just ended, which must be this chapter's.
Expected<Record> new_record(const std::string& report, const Unit& chapter) {
  auto record = record_of_report(report, date_of_today(), class_of_machine());
  if (record && record->chapter != chapter.number) {
    return refuse("chapter " + chapter.number + " reports as " + record->chapter,
                  "Mend its ChapterInfo.");
  }
  return record;
}

}  // namespace

int record_command(const Workspace& at, const std::string& number) {
  const auto chapter = find_unit(list_units(at.root, "chapters"), "chapter", number);
  if (!chapter) return complain(chapter.error());
  const BuildResult built = build_targets(at.build, {"ch" + chapter->number});
  if (interrupted()) return kInterrupted;
  if (!built.good) {
    std::fputs(compiler_errors(built.output).c_str(), stderr);
    return complain({"chapter " + chapter->number + " does not compile",
                     "Mend the first error above."},
                    kFailed);
  }
  const Run run = run_chapter(at, *chapter);
  if (interrupted()) return kInterrupted;
  if (run.exit_code != kGood) {
    return complain({"chapter " + chapter->number + " has not run to its end",
                     "Its record stays as it was. Mend what it says above."},
                    run.exit_code);
  }
  const auto record = new_record(run.report, *chapter);
  if (!record) return complain(record.error());
  const fs::path file = fs::path("chapters") / chapter->folder() / "recorded.json";
  const auto written = write_file(at.root / file, to_text(*record));
  if (!written) return complain(written.error());
  print("\nRecorded in " + file.string() + ": " + record->level + ", " +
        record->machine + ", " + record->date + ".\n");
  return kGood;
}

}  // namespace pipeline
