// The command line of `workbook`: which sub-commands there are and what they take. All
// of CLI11 is in this one file, so that the others compile in no time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/process.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

constexpr const char* kSummary =
    "The Pipeline Parallelism Workbook. Without a command it says where you are.\n"
    "Exit codes: 0 good, 1 something failed its test, 2 bad usage or input,\n"
    "3 something is absent here, 130 interrupted.";

/// Everything that was typed, and what to do with it.
struct Typed {
  std::string number, filter, pack_to, pack_from;
  bool json = false, full = false;
  ScheduleAsked schedule;
  std::vector<std::string> chapter;
  std::function<int()> act;
};

void add_reading(CLI::App& app, const Workspace& at, Typed& typed) {
  CLI::App* status =
      app.add_subcommand("status", "Where am I: progress, next exercise");
  status->add_flag("--json", typed.json, "Print JSON");
  status->callback([&] { typed.act = [&] { return status_command(at, typed.json); }; });

  CLI::App* list =
      app.add_subcommand("list", "The chapters and the schedules there are");
  list->add_flag("--json", typed.json, "Print JSON");
  list->callback([&] { typed.act = [&] { return list_command(at, typed.json); }; });

  CLI::App* run =
      app.add_subcommand("run", "Run a chapter, or all of them and one table");
  // What follows the number belongs to the chapter, --help too.
  run->prefix_command();
  run->footer(
      "run              every chapter at its small defaults, then one table (--json)\n"
      "run NN           that chapter\n"
      "run NN OPTIONS   run NN --help says which it takes");
  run->callback([&, run] {
    typed.chapter = run->remaining();
    typed.act = [&] { return run_command(at, typed.chapter); };
  });
}

void add_solving(CLI::App& app, const Workspace& at, Typed& typed) {
  CLI::App* check = app.add_subcommand("check", "Judge your answer to an exercise");
  check->add_option("exercise", typed.number, "Its number; else the first not solved");
  check->add_flag("--json", typed.json, "Print JSON");
  check->callback(
      [&] { typed.act = [&] { return check_command(at, typed.number, typed.json); }; });
  const auto add = [&](const char* name, const char* what,
                       int (*command)(const Workspace&, const std::string&)) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->add_option("exercise", typed.number, "Its number")->required();
    sub->callback([&at, &typed, command] {
      typed.act = [&at, &typed, command] { return command(at, typed.number); };
    });
  };
  add("hint", "One more hint", hint_command);
  add("reset", "Back to the starter; what you had is kept", reset_command);
  add("solution", "The solution, and why it is so", solution_command);
}

void add_judging(CLI::App& app, const Workspace& at, Typed& typed) {
  CLI::App* test = app.add_subcommand("test", "Run every test");
  test->add_option("filter", typed.filter,
                   "Part of the name of a test program or of a test");
  test->add_flag("--full", typed.full,
                 "Also long sweeps, sanitizers, style, cuda, docs");
  test->callback(
      [&] { typed.act = [&] { return test_command(at, typed.filter, typed.full); }; });

  CLI::App* bench =
      app.add_subcommand("bench", "Times and speeds as ratios, against limits");
  bench->add_option("filter", typed.filter, "A regular expression: only these");
  bench->add_flag("--json", typed.json, "Print JSON");
  bench->callback(
      [&] { typed.act = [&] { return bench_command(at, typed.filter, typed.json); }; });

  CLI::App* docs = app.add_subcommand("docs", "Make the pages (needs Doxygen)");
  docs->callback([&] { typed.act = [&] { return docs_command(at); }; });

  CLI::App* gpu =
      app.add_subcommand("gpu-check", "Every test and chapter on the GPUs here");
  gpu->add_option("--pack", typed.pack_to,
                  "Only fill this folder with what a node may lack");
  gpu->add_option("--from", typed.pack_from, "Build with a folder that --pack filled");
  gpu->callback([&] {
    typed.act = [&] {
      return typed.pack_to.empty() ? gpu_check_command(at, typed.pack_from)
                                   : pack_command(typed.pack_to);
    };
  });
}

void add_schedule(CLI::App& app, Typed& typed) {
  ScheduleAsked& asked = typed.schedule;
  std::string names;
  for (const Generator& generator : generators()) {
    names += (names.empty() ? "" : ", ") + std::string(generator.name);
  }
  CLI::App* command =
      app.add_subcommand("schedule", "Make or read a schedule, verify it, draw it");
  command->add_option("name", asked.name, "One of: " + names);
  command->add_option("--file", asked.file, "Read the text form from this file");
  command->add_option("-p,--devices", asked.devices, "Devices")->capture_default_str();
  command->add_option("-m,--micro-batches", asked.micro_batches, "Micro-batches a step")
      ->capture_default_str();
  command->add_option("--steps", asked.steps, "Steps in a row")->capture_default_str();
  command->add_option("--costs", asked.costs,
                      "Of a stage: F=1,I=1,W=1,R=1,FB=3,c=0 (transfer)");
  command->add_option("--memory-limit", asked.memory_limit,
                      "Most activations a device holds: K, or K0,K1,…");
  command->add_option("--buffers", asked.buffers,
                      "Verify communication too, K messages a link");
  command->add_flag("--verify", asked.verify, "Print every fault; exit code 1 if any");
  command->add_flag("--rows", asked.rows,
                    "Print the rows (the text form that --file reads)");
  command->add_option("--format", asked.format, "text, svg, csv, trace or json")
      ->check(CLI::IsMember({"text", "svg", "csv", "trace", "json"}));
  command->add_option("-o,--output", asked.output, "Write to this file");
  command->callback([&] { typed.act = [&] { return schedule_command(asked); }; });
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
    return command->get_name() == name;
  });
}

}  // namespace

int run_command_line(const Workspace& at, std::vector<std::string> arguments) {
  CLI::App app(kSummary, "./workbook");
  app.require_subcommand(0, 1);
  Typed typed;
  add_reading(app, at, typed);
  add_solving(app, at, typed);
  add_judging(app, at, typed);
  add_schedule(app, typed);

  if (arguments.empty()) arguments.emplace_back("status");
  // Kinder words than the parser's where a command is misspelt.
  const std::string& first = arguments[0];
  if (!first.starts_with("-") && !has_command(app, first)) {
    return complain({"there is no command '" + first + "'",
                     "See those there are: ./workbook --help"});
  }
  std::reverse(arguments.begin(), arguments.end());  // as the parser wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return kGood;
  } catch (const CLI::ParseError& fault) {
    const auto named = app.get_subcommands();
    const std::string command = named.empty() ? "" : named[0]->get_name() + " ";
    return complain({fault.what(), "See ./workbook " + command + "--help"});
  }
  const int exit_code = typed.act();
  return interrupted() ? kInterrupted : exit_code;
}

}  // namespace pipeline
