/// \file
/// Runs what nobody trusts: the compiler on a student's file, and what comes out of it.
///
/// Three tiers, of which the best that works here is taken:
///
/// - `bubblewrap`: namespaces of its own. There is no network, no process but its own,
///   no file but the system's /usr and what is mounted, and no user with rights; all of
///   it ends when the first of its processes is killed.
/// - `own-user`: another user without rights, and limits; for containers that allow no
///   namespaces. It can see the file system as any user can. Only if asked for by name,
///   and as root.
/// - `unsafe`: limits alone, as ourselves. Only if asked for by name.
///
/// In each, limits are set inside, and whatever runs is gone when `wait` returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

enum class Tier : std::uint8_t { Bubblewrap, OwnUser, Unsafe };

/// "bubblewrap", "own-user", "unsafe": stamped into every result.
std::string_view to_text(Tier tier);

/// The tier to use, tried out by running a program in it. An empty name: bubblewrap, or
/// a refusal (Absent) that says why it does not work here and what to ask for.
Expected<Tier> choose_tier(std::string_view name);

struct Limits {
  double cpu_seconds = 2;                              ///< of any one process
  double wall_seconds = 10;                            ///< of all of it
  std::int64_t memory_bytes = std::int64_t{1} << 30;   ///< address space of a process
  std::int64_t file_bytes = std::int64_t{8} << 20;     ///< of any file
  std::int64_t output_bytes = std::int64_t{64} << 10;  ///< captured; more ends it
  int processes = 8;
};

/// A file or folder that it sees.
struct Mount {
  std::filesystem::path from;
  std::string to;
  bool writable = false;
};

struct BoxRequest {
  std::vector<std::string> command;
  std::vector<Mount> mounts;
  Limits limits;
  /// A descriptor that it gets as number 3 (`kSocket`), or -1.
  int socket = -1;
  /// Whether stdout and stderr are captured; else they go nowhere.
  bool capture = false;
  /// From 0: boxes that run at the same time have different ones, and in tier own-user
  /// and as root different users, so that the limit on processes counts its own.
  int slot = 0;
};

enum class Ending : std::uint8_t {
  Exited,
  Crashed,  ///< by a signal
  CpuLimit,
  WallLimit,
  OutputLimit,
  NotStarted,  ///< the sandbox itself failed: nobody's fault but ours
};

struct BoxReport {
  Ending ending = Ending::Exited;
  int exit_code = 0;  ///< where it exited
  int signal = 0;     ///< where it crashed
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::string output;  ///< what was captured, or why it was not started
};

/// A program that runs in a sandbox.
class Box {
 public:
  /// Starts it. A sandbox that fails to start shows in `wait`.
  Box(Tier tier, BoxRequest request);
  Box(Box&&) noexcept;
  Box& operator=(Box&&) noexcept;
  ~Box();  ///< kills what still runs

  /// Waits until it has ended by itself or by a limit, and nothing of it runs.
  BoxReport wait();
  /// Ends it now; then `wait` returns at once.
  void kill();

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace pipeline
