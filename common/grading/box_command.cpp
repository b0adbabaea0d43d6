#include "grading/box_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>

#include "grading/wire.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Whether a user of this number can exist here. In a container that is not run by root
/// only some do.
bool is_mapped(std::uint64_t user) {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  while (map >> inside >> outside >> count) {
    if (user >= inside && user - inside < count) return true;
  }
  return false;
}

/// Numbers that no other process uses: from the range that systemd's list of users and
/// groups leaves unused (systemd.io/UIDS-GIDS), by our own number. Where that range
/// does not exist, numbers shortly before nobody's.
uid_t first_user() {
  constexpr uid_t kUnused = 0x70000000;
  constexpr uid_t kEach = 2 * kMostSlots;
  constexpr uid_t kProcesses = 0x10000000 / kEach;
  constexpr uid_t kSmall = 64000;
  const uid_t own = kUnused + kEach * (static_cast<uid_t>(getpid()) % kProcesses);
  return is_mapped(own + kEach) ? own : kSmall;
}

std::string whole(double number) {
  return std::to_string(static_cast<std::int64_t>(std::ceil(number)));
}

/// How many processes and threads we have. Without namespaces the limit counts them.
int count_own_threads() {
  int count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    std::ifstream status(entry.path() / "status");
    std::string line;
    bool ours = false;
    while (std::getline(status, line)) {
      if (line.starts_with("Uid:")) {
        ours = line.starts_with("Uid:\t" + std::to_string(getuid()) + "\t");
      }
      if (ours && line.starts_with("Threads:")) count += std::stoi(line.substr(8));
    }
  }
  return count;
}

/// Limits are set inside, where only what runs there counts. SIGXCPU comes at the limit
/// of CPU time, and SIGKILL a second later.
Words limited(Tier tier, const BoxRequest& request) {
  const Limits& limits = request.limits;
  const std::string cpu = whole(limits.cpu_seconds);
  Words words = {"prlimit",
                 "--cpu=" + cpu + ":" + whole(std::ceil(limits.cpu_seconds) + 1),
                 "--as=" + std::to_string(limits.memory_bytes),
                 "--fsize=" + std::to_string(limits.file_bytes),
                 "--nofile=64",
                 "--core=0"};
  if (limits.processes > 0) {
    const int others = tier == Tier::Unsafe ? count_own_threads() : 0;
    words.push_back("--nproc=" + std::to_string(limits.processes + others));
  }
  words.emplace_back("--");
  return words;
}

Words as_user(uid_t user) {
  if (user == 0) return {};
  const std::string number = std::to_string(user);
  return {"setpriv",        "--reuid=" + number, "--regid=" + number,
          "--clear-groups", "--no-new-privs",    "--pdeathsig=KILL"};
}

/// The system's programs and libraries, and nothing else of it; all of it read-only but
/// /tmp.
Words bubblewrap(const BoxRequest& request) {
  Words words = {"bwrap",
                 "--unshare-user",
                 "--unshare-pid",
                 "--unshare-net",
                 "--unshare-ipc",
                 "--unshare-uts",
                 "--unshare-cgroup-try",
                 "--disable-userns",
                 "--uid",
                 "65534",
                 "--gid",
                 "65534",
                 "--die-with-parent",
                 "--new-session",
                 "--cap-drop",
                 "ALL",
                 "--json-status-fd",
                 std::to_string(kStatus)};
  append(words, {"--ro-bind", "/usr", "/usr"});
  // Whatever else an instructor keeps on the machine, the workbook perhaps.
  for (const char* local : {"/usr/local", "/usr/src"}) {
    if (fs::is_directory(local)) append(words, {"--tmpfs", local});
  }
  append(words,
         {"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
          "--symlink", "usr/bin", "/bin", "--proc", "/proc", "--dev", "/dev", "--size",
          std::to_string(request.limits.scratch_bytes), "--tmpfs", "/tmp"});
  for (const Mount& mount : request.mounts) {
    append(words, {mount.writable ? "--bind" : "--ro-bind", mount.from, mount.to});
  }
  append(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"});
  for (const char* local : {"/usr/local", "/usr/src"}) {
    if (fs::is_directory(local)) append(words, {"--remount-ro", local});
  }
  return words;
}

/// The first folder that may be written to.
const Mount* writable(const BoxRequest& request) {
  const auto found = std::find_if(request.mounts.begin(), request.mounts.end(),
                                  [](const Mount& mount) { return mount.writable; });
  return found == request.mounts.end() ? nullptr : &*found;
}

/// Puts the path outside in the place of the first path inside that `word` names. One
/// replacement, so that none is made in what was put there.
void to_outside(std::string& word, const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    const std::size_t at = word.find(mount.to);
    if (at == std::string::npos) continue;
    word.replace(at, mount.to.size(), mount.from.string());
    return;
  }
}

}  // namespace

uid_t box_user(Tier tier, int slot) {
  if (tier == Tier::Unsafe || geteuid() != 0) return 0;
  return first_user() + static_cast<uid_t>(slot);
}

uid_t box_keeper(int slot) {
  return first_user() + static_cast<uid_t>(kMostSlots + slot);
}

std::vector<std::string> box_command(Tier tier, const BoxRequest& request) {
  Words words = as_user(box_user(tier, request.slot));
  if (tier == Tier::Bubblewrap) append(words, bubblewrap(request));
  append(words, limited(tier, request));
  for (std::string word : request.command) {
    if (tier != Tier::Bubblewrap) to_outside(word, request.mounts);
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> box_environment(Tier tier, const BoxRequest& request) {
  Words words = {"PATH=/usr/bin:/bin", "LC_ALL=C",
                 "TMPDIR=" + box_folder(tier, request)};
  for (const auto& [name, value] : request.environment) {
    words.push_back(name);
    words.back().append("=").append(value);
  }
  return words;
}

std::string box_folder(Tier tier, const BoxRequest& request) {
  if (tier == Tier::Bubblewrap) return "/tmp";
  const Mount* const folder = writable(request);
  return folder == nullptr ? "/tmp" : folder->from.string();
}

}  // namespace pipeline
