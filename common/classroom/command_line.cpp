// The command line of `workbook`: which sub-commands there are and what they take. All
// of CLI11 is here and in grading/grade_line.cpp, so that the others compile in no
// time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <initializer_list>

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
  std::string python = "python3";
  bool json = false, full = false, peer = false, once = false, spoil = false,
       open = false;
  ScheduleAsked schedule;
  std::vector<std::string> chapter;
  std::function<int()> act;
};

void add_reading(CLI::App& app, const Workspace& at, Typed& typed) {
  CLI::App* status =
      app.add_subcommand("status", "Where am I: progress, next exercise");
  status->add_flag("--json", typed.json, "Print JSON");
  status->callback([&] { typed.act = [&] { return status_command(at, typed.json); }; });

  CLI::App* tour = app.add_subcommand("tour", "How to begin, in two minutes");
  tour->callback([&] { typed.act = [&] { return tour_command(at); }; });

  CLI::App* list =
      app.add_subcommand("list", "The chapters, exercises and schedules there are");
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

void add_recording(CLI::App& app, const Workspace& at, Typed& typed) {
  CLI::App* record =
      app.add_subcommand("record", "Run a chapter and keep what it measured");
  record->add_option("chapter", typed.number, "Its number")->required();
  record->footer("Written to chapters/NN_name/recorded.json, which its page shows.");
  record->callback(
      [&] { typed.act = [&] { return record_command(at, typed.number); }; });
}

void add_solving(CLI::App& app, const Workspace& at, Typed& typed) {
  const char* else_next = "Its number; else the one to go on with";
  CLI::App* check = app.add_subcommand("check", "Judge your answer to an exercise");
  check->add_option("exercise", typed.number, else_next);
  check->add_flag("--json", typed.json, "Print JSON");
  check->callback(
      [&] { typed.act = [&] { return check_command(at, typed.number, typed.json); }; });

  CLI::App* watch =
      app.add_subcommand("watch", "Judge it whenever you save, with hints at a key");
  watch->add_option("exercise", typed.number, else_next);
  watch->add_flag("--once", typed.once, "Judge once and end; needs no terminal");
  watch->callback(
      [&] { typed.act = [&] { return watch_command(at, typed.number, typed.once); }; });

  const auto add = [&](const char* name, const char* what,
                       const std::function<int()>& command) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->add_option("exercise", typed.number, "Its number")->required();
    sub->callback([&typed, command] { typed.act = command; });
    return sub;
  };
  add("hint", "One more hint", [&] { return hint_command(at, typed.number); });
  add("reset", "Back to the starter; what you had is kept",
      [&] { return reset_command(at, typed.number); });
  CLI::App* solution = add("solution", "The solution, and why it is so", [&] {
    return solution_command(at, typed.number, typed.spoil);
  });
  solution->add_flag("--spoil", typed.spoil, "Also before your answer passes");

  CLI::App* update =
      app.add_subcommand("update", "Merge a new release's starters into your files");
  update->callback([&] { typed.act = [&] { return update_command(at); }; });
}

void add_judging(CLI::App& app, const Workspace& at, Typed& typed) {
  CLI::App* test = app.add_subcommand("test", "Run every test");
  test->add_option("filter", typed.filter,
                   "Part of the name of a test program or of a test");
  test->add_flag("--full", typed.full, "Also sweeps, sanitizers, fuzzing, style, cuda");
  test->callback(
      [&] { typed.act = [&] { return test_command(at, typed.filter, typed.full); }; });

  CLI::App* bench =
      app.add_subcommand("bench", "Times and speeds as ratios, against limits");
  bench->add_option("filter", typed.filter,
                    "Only these: a regex; with --peer part of a name");
  bench->add_flag("--json", typed.json, "Print JSON");
  CLI::Option* peer = bench->add_flag("--peer", typed.peer,
                                      "The same models in PyTorch, in the same run");
  bench->add_option("--python", typed.python, "An interpreter that has PyTorch")
      ->type_name("PATH")
      ->needs(peer);
  bench->callback([&] {
    typed.act = [&] {
      return typed.peer ? peer_command(at, typed.python, typed.filter, typed.json)
                        : bench_command(at, typed.filter, typed.json);
    };
  });

  CLI::App* docs = app.add_subcommand("docs", "Make the site, build/docs/html");
  docs->add_flag("--open", typed.open, "Show it in the browser, where there is one");
  docs->callback([&] { typed.act = [&] { return docs_command(at, typed.open); }; });

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

/// A table of help: an option, where its value goes, and a line of what it says.
struct TextOption {
  const char* name;
  const char* takes;
  std::string ScheduleAsked::*value;
  const char* what;
};

void add_options(CLI::App& command, ScheduleAsked& asked, const char* group,
                 std::initializer_list<TextOption> options) {
  for (const TextOption& option : options) {
    command.add_option(option.name, asked.*option.value, option.what)
        ->type_name(option.takes)
        ->group(group);
  }
}

void add_making(CLI::App& command, ScheduleAsked& asked) {
  add_options(command, asked, "What to make",
              {{"-p,--devices", "N", &ScheduleAsked::devices, "Devices (4)"},
               {"-m,--micro-batches", "N", &ScheduleAsked::micro_batches,
                "Micro-batches a step (8); of both ways, if two"},
               {"-v,--chunks", "N", &ScheduleAsked::chunks, "Stages a device"},
               {"--group-size", "N", &ScheduleAsked::group_size,
                "Micro-batches that go round together"},
               {"--steps", "N", &ScheduleAsked::steps, "Steps in a row (1)"},
               {"--slices", "K", &ScheduleAsked::slices,
                "Slices of a micro-batch: K, or K0,K1,…"},
               {"--recompute", "POLICY", &ScheduleAsked::recompute,
                "Make activations twice; see below"}});
  command
      .add_flag("--global-norm", asked.global_norm,
                "End steps with the norm of all gradients")
      ->group("What to make");
  const char* from = "Or what to read";
  command.add_option("--file", asked.file, "Read it from this file")
      ->type_name("FILE")
      ->group(from);
  command
      .add_option("--dialect", asked.dialect,
                  "Of the file: torch (its CSV), zb (letters)")
      ->check(CLI::IsMember({"torch", "zb"}))
      ->group(from);
}

void add_costs(CLI::App& command, ScheduleAsked& asked) {
  add_options(
      command, asked, "What it costs",
      {{"--costs", "COSTS", &ScheduleAsked::costs,
        "F=1,I=1,W=1,R=1,FB=3,U=0,c=0; see below"},
       {"--costs-file", "FILE", &ScheduleAsked::costs_file,
        "A header and a line for each stage; see below"},
       {"--message-bytes", "BYTES", &ScheduleAsked::message_bytes,
        "Size of a message (0)"},
       {"--bandwidth", "B", &ScheduleAsked::bandwidth,
        "Bytes a link moves in a unit of time"},
       {"--devices-per-node", "N", &ScheduleAsked::devices_per_node,
        "Devices that share a node (all)"},
       {"--node-latency", "TIME", &ScheduleAsked::node_latency, "c between nodes"},
       {"--node-bandwidth", "B", &ScheduleAsked::node_bandwidth,
        "Bandwidth between nodes"}});
}

void add_checking(CLI::App& command, ScheduleAsked& asked) {
  const char* group = "What to check";
  command.add_flag("--verify", asked.verify, "Print every fault; exit code 1 if any")
      ->group(group);
  add_options(
      command, asked, group,
      {{"--memory-limit", "K", &ScheduleAsked::memory_limit,
        "Most activations a device holds: K or K0,K1,…"},
       {"--freed-by-input-gradient", "SHARE", &ScheduleAsked::freed_by_input_gradient,
        "Share of one that I frees; W the rest (0)"},
       {"--input-share", "SHARE", &ScheduleAsked::input_share,
        "Share of one that recomputing keeps (0)"},
       {"--buffers", "K", &ScheduleAsked::buffers,
        "Messages too; a link holds K of them"}});
}

void add_printing(CLI::App& command, ScheduleAsked& asked) {
  const char* group = "What to print";
  command.add_option("--format", asked.format, "A picture and figures, if not named")
      ->check(CLI::IsMember({"text", "svg", "csv", "torch", "zb", "trace", "json"}))
      ->group(group);
  command.add_flag("--rows", asked.rows, "The rows, as --file reads them; or in json")
      ->group(group);
  command.add_flag("--lowered", asked.lowered, "Put sends and receives into the rows")
      ->group(group);
  command.add_option("-o,--output", asked.output, "Write to this file")
      ->type_name("FILE")
      ->group(group);
}

std::string schedule_help() {
  std::string names;
  for (const Generator& generator : generators()) {
    names += (names.empty() ? "" : ", ") + std::string(generator.name);
  }
  return wrap("Names: " + names + ".") +
         R"(
Costs are those of one stage: F forward, I gradient of the input, W of the
weights, R recomputation (F if not named), FB an overlapped forward and backward
(F+I+W), U update; c is the time of a transfer. A file of costs has a header and
a line for each stage, in order; what it leaves out is as --costs says:
    stage,F,I,W,bytes
    0,1,1,1,4096
    1,2,1.5,1.5,4096
A limit counts the activations of one stage over the stages that a micro-batch
visits on the device. zb-auto searches within it; others are held against it.
A policy of recomputation is never, always, all-but-last (the last micro-batch
of a step is kept, and what is needed at once), or one for each stage with commas
between; or cap=K: as few as keep each device to K activations (or K0,K1,…). Of
what is recomputed a stage keeps its input until then.)";
}

void add_schedule(CLI::App& app, Typed& typed) {
  ScheduleAsked& asked = typed.schedule;
  CLI::App* command =
      app.add_subcommand("schedule", "Make or read a schedule, verify it, draw it");
  command->add_option("name", asked.name, "One of the names below");
  add_making(*command, asked);
  add_costs(*command, asked);
  add_checking(*command, asked);
  add_printing(*command, asked);
  command->footer(schedule_help());
  command->callback([&] { typed.act = [&] { return schedule_command(asked); }; });
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
    return command->get_name() == name;
  });
}

}  // namespace

int run_command_line(const Workspace& at, std::vector<std::string> arguments,
                     const std::vector<AddCommands>& more) {
  CLI::App app(kSummary, "./workbook");
  app.require_subcommand(0, 1);
  Typed typed;
  add_reading(app, at, typed);
  add_recording(app, at, typed);
  add_solving(app, at, typed);
  add_judging(app, at, typed);
  add_schedule(app, typed);
  for (const AddCommands add : more) add(app, at, typed.act);

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
