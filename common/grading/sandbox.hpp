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
#include <utility>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// How well a program is shut in; see above.
enum class Tier : std::uint8_t {
  Bubblewrap,  ///< namespaces of its own
  OwnUser,     ///< a user without rights
  Unsafe       ///< limits alone
};

/// "bubblewrap", "own-user", "unsafe": stamped into every result.
std::string_view to_text(Tier tier);

/// The tier to use, tried out by running a program in it. An empty name: bubblewrap, or
/// a refusal (Absent) that says why it does not work here and what to ask for.
Expected<Tier> choose_tier(std::string_view name);

/// What a program may take; more ends it.
struct Limits {
  double cpu_seconds = 2;                             ///< of any one process
  double wall_seconds = 10;                           ///< of all of it
  std::int64_t memory_bytes = std::int64_t{1} << 30;  ///< address space of a process
  std::int64_t file_bytes = std::int64_t{8} << 20;    ///< of any file
  std::int64_t scratch_bytes = std::int64_t{16}
                               << 20;                  ///< of /tmp, where it is its own
  std::int64_t output_bytes = std::int64_t{64} << 10;  ///< captured; more ends it
  int processes = 8;                                   ///< and threads; 0: no limit
};

/// A file or folder that it sees. Tiers without namespaces cannot mount: there the path
/// `to` is replaced with `from` wherever the command names it.
struct Mount {
  std::filesystem::path from;  ///< as it is here
  std::string to;              ///< as the program sees it
  bool writable = false;       ///< whether it may be changed
};

/// What to run in a sandbox, and with what.
struct BoxRequest {
  std::vector<std::string> command;  ///< the program and its arguments
  std::vector<Mount> mounts;         ///< what it sees beside the system's /usr
  Limits limits;                     ///< what it may take
  /// Descriptors that it gets as number 3 (`kSocket`) and up.
  std::vector<int> sockets;
  /// Set beside PATH, LC_ALL and TMPDIR; nothing of our own environment is passed on.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Whether stdout and stderr are captured; else they go nowhere.
  bool capture = false;
  /// Whether more output than the limit ends it; else what is too much is lost.
  bool flood_ends = true;
  /// From 0 to `kMostSlots` - 1: boxes that run at the same time have different ones,
  /// and where we are root different users, so that none can touch another.
  int slot = 0;
};

/// The most boxes that may run at the same time.
inline constexpr int kMostSlots = 512;

/// How a program ended.
enum class Ending : std::uint8_t {
  Exited,       ///< by itself
  Crashed,      ///< by a signal
  CpuLimit,     ///< it took more than `Limits::cpu_seconds`
  WallLimit,    ///< it took more than `Limits::wall_seconds`
  OutputLimit,  ///< it printed more than `Limits::output_bytes`
  Killed,       ///< by `kill`, or because we were interrupted
  NotStarted,   ///< the sandbox itself failed: nobody's fault but ours
};

/// What a program came to.
struct BoxReport {
  Ending ending = Ending::Exited;  ///< how it ended
  int exit_code = 0;               ///< where it exited
  int signal = 0;                  ///< where it crashed
  double cpu_seconds = 0;          ///< of all its processes
  double wall_seconds = 0;         ///< from its start to its end
  std::string output;              ///< what was captured, or why it was not started
};

/// A program that runs in a sandbox. It ends when the thread ends that made it.
class Box {
 public:
  /// Starts it. A sandbox that fails to start shows in `wait`. Folders that are mounted
  /// to be written to are given to the user that it runs as.
  Box(Tier tier, BoxRequest request);
  /// Takes over the running program.
  Box(Box&&) noexcept;
  Box& operator=(Box&&) noexcept;  ///< takes over the running program
  ~Box();                          ///< kills what still runs

  /// Waits until it has ended by itself or by a limit, and nothing of it runs. To be
  /// called once.
  BoxReport wait();
  /// Ends it as `kill` does once this time is over, unless it has ended by itself.
  void end_within(double seconds);
  /// Ends it now; then `wait` returns at once.
  void kill();

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace pipeline
