/// \file
/// What each sub-command of `workbook` does. All return the exit code, and print
/// results to stdout and refusals to stderr.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "classroom/workspace.hpp"

namespace CLI {
class App;
}

namespace pipeline {

/// Adds sub-commands to the command line; the one that is named puts into `act` what it
/// does. How a part that stands after this one adds its own.
using AddCommands = void (*)(CLI::App& app, const Workspace& at,
                             std::function<int()>& act);

/// Reads the arguments (without the program's name) and runs what they name.
int run_command_line(const Workspace& at, std::vector<std::string> arguments,
                     const std::vector<AddCommands>& more = {});

/// How far the student is, and what comes next.
int status_command(const Workspace& at, bool as_json);
/// All chapters and exercises, and how far each is.
int list_command(const Workspace& at, bool as_json);

/// `arguments`: nothing or `all`, or a chapter's number and what is passed on to it.
int run_command(const Workspace& at, std::vector<std::string> arguments);

/// Runs a chapter and keeps what it measured in its recorded.json. The exit code is the
/// chapter's where that is not 0, and 1 where it does not compile.
int record_command(const Workspace& at, const std::string& number);

/// What this is and how to begin, in two minutes.
int tour_command(const Workspace& at);

/// `number` may be empty: the exercise to go on with.
int check_command(const Workspace& at, const std::string& number, bool as_json);
/// `once`: one judgement and its screen, without a terminal.
int watch_command(const Workspace& at, const std::string& number, bool once);
/// One more hint; `number` as above.
int hint_command(const Workspace& at, const std::string& number);
/// Back to the starter; what was there is kept.
int reset_command(const Workspace& at, const std::string& number);
/// `spoil`: also where no answer has passed yet.
int solution_command(const Workspace& at, const std::string& number, bool spoil);
/// Merges the starters of a new release into the student's files.
int update_command(const Workspace& at);

/// `filter` may be empty: everything.
int test_command(const Workspace& at, const std::string& filter, bool full);

/// The options of `schedule`, as they were typed; empty where they were not.
struct ScheduleAsked {
  std::string name;  ///< of a generator; empty with `file`
  /// Sizes.
  std::string devices, micro_batches, chunks, group_size, steps, slices;
  std::string file, dialect;             ///< what to read in place of a generator
  std::string costs, costs_file;         ///< of stages
  std::string message_bytes, bandwidth;  ///< of links
  std::string devices_per_node, node_latency, node_bandwidth;  ///< between nodes
  std::string memory_limit, freed_by_input_gradient;           ///< of activations
  std::string recompute, input_share;   ///< what is forgotten and made again
  std::string buffers;                  ///< of a link, for `verify`
  std::string format = "text", output;  ///< of what is written, and where to
  /// Options without a value.
  bool global_norm = false, verify = false, rows = false, lowered = false;
};

/// Generates or reads a schedule, and prints it in the format asked for.
int schedule_command(const ScheduleAsked& asked);

/// `filter` is a regular expression; empty: every benchmark.
int bench_command(const Workspace& at, const std::string& filter, bool as_json);
/// `python`: an interpreter that can import PyTorch. `filter`: part of a contest's
/// name.
int peer_command(const Workspace& at, const std::string& python,
                 const std::string& filter, bool as_json);
/// `open`: in a browser, where there is a screen for one.
int docs_command(const Workspace& at, bool open);

/// `pack`: a folder that `pack_command` filled, or empty.
int gpu_check_command(const Workspace& at, const std::string& pack);
/// Fills a folder with what a node without packages needs for the cuda preset.
int pack_command(const std::string& folder);

}  // namespace pipeline
