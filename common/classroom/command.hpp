/// \file
/// The sub-commands of `workbook`. Each function adds one, or a few that belong
/// together, to the command line; parsing it then runs the one that was named and
/// leaves its exit code in `exit_code`.
#pragma once

#include <CLI/CLI.hpp>

#include "classroom/workspace.hpp"

namespace pipeline {

void add_status(CLI::App& app, const Workspace& at, int& exit_code);  // status, list
void add_exercise(CLI::App& app, const Workspace& at,
                  int& exit_code);  // check, hint,
                                    // reset, solution
void add_run(CLI::App& app, const Workspace& at, int& exit_code);
void add_test(CLI::App& app, const Workspace& at, int& exit_code);
void add_schedule(CLI::App& app, const Workspace& at, int& exit_code);
void add_bench(CLI::App& app, const Workspace& at, int& exit_code);
void add_docs(CLI::App& app, const Workspace& at, int& exit_code);
void add_gpu_check(CLI::App& app, const Workspace& at, int& exit_code);

}  // namespace pipeline
