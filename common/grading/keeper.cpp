#include "grading/keeper.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace pipeline {
namespace {

constexpr timespec kMoment = {0, 200'000};  // 0.2 ms
constexpr int kMostRounds = 50'000;

/// Ends all processes of a user at once: kill(-1) leaves no time to fork in between.
/// Runs as a user that they may not send signals to.
void end_user(uid_t user, uid_t keeper) {
  const pid_t helper = fork();
  if (helper == 0) {
    // Not by setresuid(), which would ask the grader's other threads.
    const bool changed = syscall(SYS_setresgid, keeper, keeper, keeper) == 0 &&
                         syscall(SYS_setresuid, keeper, user, keeper) == 0;
    // As root, -1 would be everybody.
    if (changed && getuid() == keeper && geteuid() == user && user != 0 && keeper != 0)
      kill(-1, SIGKILL);
    _exit(0);
  }
  if (helper > 0) waitpid(helper, nullptr, 0);
}

/// Room for the processes below the keeper; without malloc.
struct Family {
  std::array<pid_t, 4096> members;
  std::size_t count = 0;

  bool has(pid_t process) const {
    return std::find(members.begin(), members.begin() + count, process) !=
           members.begin() + count;
  }
};

/// "/proc/12/task/12/children"
void children_file(pid_t process, char* path) {
  char digits[16];
  std::size_t length = 0;
  for (pid_t rest = process; rest > 0; rest /= 10)
    digits[length++] = static_cast<char>('0' + rest % 10);
  const auto put = [&path](const char* text) {
    while (*text != '\0') *path++ = *text++;
  };
  const auto put_number = [&] {
    for (std::size_t i = length; i > 0; --i) *path++ = digits[i - 1];
  };
  put("/proc/");
  put_number();
  put("/task/");
  put_number();
  put("/children");
  *path = '\0';
}

/// Adds the children of a process that are not in it, each stopped so that it cannot
/// start any more. Children of its threads are found once these are gone.
void stop_children(pid_t process, Family& family) {
  char path[64];
  children_file(process, path);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  pid_t number = 0;
  char byte = 0;
  while (read(file, &byte, 1) == 1) {
    if (byte >= '0' && byte <= '9') {
      number = 10 * number + (byte - '0');
      continue;
    }
    if (number > 0 && !family.has(number) && family.count < family.members.size()) {
      kill(number, SIGSTOP);
      family.members[family.count++] = number;
    }
    number = 0;
  }
  close(file);
}

/// Ends everything below us, without a user of its own to tell it by: first stops it
/// until nothing new turns up, since killing one by one loses against a fork bomb.
void end_family() {
  static Family family;
  family.count = 0;
  for (std::size_t before = 1; before != 0;) {
    const std::size_t known = family.count;
    stop_children(getpid(), family);
    for (std::size_t i = 0; i < family.count; ++i)
      stop_children(family.members[i], family);
    before = family.count - known;
  }
  for (std::size_t i = 0; i < family.count; ++i) kill(family.members[i], SIGKILL);
}

/// Reaps what has ended. False when there is no child left.
bool reap(pid_t program, int& status, bool& ended) {
  while (true) {
    int each = 0;
    const pid_t process = waitpid(-1, &each, WNOHANG);
    if (process == 0) return true;
    if (process < 0) return errno == EINTR;
    if (process == program) {
      status = each;
      ended = true;
    }
  }
}

/// Where memory runs out, this goes before anybody else.
void be_first_to_go() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  constexpr char kMost[] = "1000";
  // Without it, all is as it was.
  if (file >= 0 && write(file, kMost, sizeof kMost - 1) > 0) close(file);
}

[[noreturn]] void become(const KeeperOrders& orders) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  be_first_to_go();
  if (!orders.has_bwrap) fcntl(orders.status, F_SETFD, FD_CLOEXEC);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(orders.argv[0], orders.argv, orders.environment);
  constexpr char kAbsent[] = "a program of the sandbox cannot be started";
  if (write(orders.status, kAbsent, sizeof kAbsent - 1) < 0) _exit(126);
  _exit(127);
}

/// Waits until the program has ended or is to end.
void follow(pid_t program, int& status, bool& ended) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  while (!ended) {
    if (sigwaitinfo(&awaited, nullptr) == SIGTERM) return;
    reap(program, status, ended);
  }
}

/// As bwrap says it: { "exit-code": 12 }
void report(int file, int code) {
  char text[] = "{ \"exit-code\": 000 }\n";
  for (std::size_t place = 17; code > 0; code /= 10)
    text[place--] = static_cast<char>('0' + code % 10);
  if (write(file, text, sizeof text - 1) < 0) _exit(126);
}

}  // namespace

void keep(const KeeperOrders& orders, pid_t grader) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int status = 0;
  bool ended = false;
  const pid_t program = getppid() == grader ? fork() : -1;
  if (program == 0) become(orders);
  if (program < 0) _exit(126);
  // Only the program may hold these open: who waits for their end waits for its end.
  for (int file = 0; file < orders.status; ++file) close(file);
  follow(program, status, ended);
  const bool by_itself = ended;
  for (int round = 0; round < kMostRounds; ++round) {
    if (orders.user != 0) {
      end_user(orders.user, orders.keeper);
    } else {
      end_family();
    }
    if (!reap(program, status, ended)) break;
    nanosleep(&kMoment, nullptr);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (by_itself && !orders.has_bwrap) report(orders.status, code);
  _exit(code);
}

}  // namespace pipeline
