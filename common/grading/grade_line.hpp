/// \file
/// The sub-commands of `workbook` that instructors use: grade, gradescope.
#pragma once

#include <functional>

#include "classroom/command.hpp"

namespace pipeline {

/// See AddCommands.
void add_grading_commands(CLI::App& app, const Workspace& at,
                          std::function<int()>& act);

}  // namespace pipeline
