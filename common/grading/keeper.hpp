/// \file
/// A process of ours between the grader and a program that nobody trusts.
///
///     grader ─► keeper ─► setpriv … bwrap … prlimit … program ─► whatever it starts
///
/// What the program leaves behind becomes the keeper's child, whatever it did to hide
/// (PR_SET_CHILD_SUBREAPER), so that the keeper can end all of it, and the CPU time of
/// all of it is the keeper's. It does so too when the grader is killed: bwrap alone
/// does not while it is starting, since the process inside asks late to die with its
/// parent.
#pragma once

#include <sys/types.h>

namespace pipeline {

/// What a keeper must know; all of it made before the fork.
struct KeeperOrders {
  char* const* argv = nullptr;         ///< of the program, ended by a null pointer
  char* const* environment = nullptr;  ///< of the program, ended by a null pointer
  int status = -1;                     ///< where the exit code is written
  bool has_bwrap = false;              ///< which writes it
  uid_t user = 0;    ///< whose processes are all of the program; 0: ourselves
  uid_t keeper = 0;  ///< a user that may end those of `user`
};

/// What a child becomes that `grader` forked. All signals must be blocked. SIGTERM ends
/// the program.
/// Does only what is safe between fork and exec in a process with threads.
[[noreturn]] void keep(const KeeperOrders& orders, pid_t grader);

}  // namespace pipeline
