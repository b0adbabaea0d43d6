/// \file
/// Where there are no namespaces: a process of ours between the grader and a program
/// that nobody trusts.
///
///     grader ─► keeper ─► setpriv … prlimit … program ─► whatever it starts
///
/// What the program leaves behind becomes the keeper's child, whatever it did to hide
/// (PR_SET_CHILD_SUBREAPER), so that the keeper can end all of it, and the CPU time of
/// all of it is the keeper's.
#pragma once

#include <sys/types.h>

namespace pipeline {

struct KeeperOrders {
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  int status = -1;   ///< where the exit code is written, as bwrap does
  uid_t user = 0;    ///< whose processes are all of the program; 0: ourselves
  uid_t keeper = 0;  ///< a user that may end those of `user`
};

/// What a forked child becomes. All signals must be blocked. SIGTERM ends the program.
/// Does only what is safe between fork and exec in a process with threads.
[[noreturn]] void keep(const KeeperOrders& orders);

}  // namespace pipeline
