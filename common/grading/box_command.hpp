/// \file
/// What is typed to run a program in a sandbox of each tier.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "grading/sandbox.hpp"

namespace pipeline {

/// The descriptor that bwrap reports to. The program does not have it.
inline constexpr int kStatus = 15;

/// The user that a box runs as, and whom nobody else on this machine is; 0: ourselves.
uid_t box_user(Tier tier, int slot);
/// A second one, which may end what the first one runs, but not the other way round.
uid_t box_keeper(int slot);

/// The command that runs the request's command in a sandbox.
std::vector<std::string> box_command(Tier tier, const BoxRequest& request);

/// All of its environment, "NAME=value" each.
std::vector<std::string> box_environment(Tier tier, const BoxRequest& request);

/// The folder that it starts in. Seen from outside: bwrap has its own.
std::string box_folder(Tier tier, const BoxRequest& request);

}  // namespace pipeline
