// workbook test: every test program, and with --full everything that is judged.
#include <cstdio>
#include <cstdlib>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/full_checks.hpp"
#include "classroom/process.hpp"
#include "classroom/test_programs.hpp"

namespace pipeline {
namespace {

struct Choice {
  std::vector<TestProgram> programs;
  std::string filter;
};

/// A filter that is (part of) the name of programs chooses those and all of their
/// cases; any other chooses the cases that it is part of.
Choice choose(const std::vector<TestProgram>& all, const std::string& filter) {
  Choice choice;
  for (const TestProgram& program : all) {
    if (program.name.find(filter) != std::string::npos) {
      choice.programs.push_back(program);
    }
  }
  if (choice.programs.empty()) return {all, "*" + filter + "*"};
  return choice;
}

int close_with(const TestTally& tally) {
  if (interrupted()) return kInterrupted;
  print(tally.failures);
  if (!tally.skips.empty()) print("Not run:\n");
  for (const std::string& skip : tally.skips) print("  " + skip + "\n");
  print(tally.closing_line());
  return tally.failed == 0 ? kGood : kFailed;
}

}  // namespace

int test_command(const Workspace& at, const std::string& filter, bool full) {
  const auto known = list_test_programs(at.build);
  if (!known) return complain(known.error());
  Choice choice = choose(*known, filter);
  // By name where some are chosen, so that only those are built.
  std::vector<std::string> targets;
  for (const TestProgram& program : choice.programs)
    targets.push_back(program.target());
  const bool everything = choice.programs.size() == known->size();
  const BuildResult built =
      build_targets(at.build, everything ? std::vector<std::string>{} : targets);
  TestTally tally;
  if (!built.good) {
    tally.judge("the build", false, compiler_errors(built.output));
    return close_with(tally);
  }
  // Once more, now that every program is there.
  const auto programs = list_test_programs(at.build);
  if (!programs) return complain(programs.error());
  choice = choose(*programs, filter);
  TestRunOptions options;
  options.filter = choice.filter;
  if (full) {
    options.environment = full_environment();
    options.patience = kFullPatience;
  }
  tally = run_test_programs(choice.programs, options);
  if (tally.passed + tally.failed + tally.skipped == 0 && !interrupted()) {
    return complain({"no test has '" + filter + "' in its name",
                     "See the names: ctest --test-dir build/host -N"});
  }
  if (full && !interrupted()) {
    report_part("host", tally);
    tally.add(run_full_checks(at));
  }
  return close_with(tally);
}

}  // namespace pipeline
