#include "classroom/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace pipeline {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupt_seen = 0;

void on_interrupt(int /*signal*/) { interrupt_seen = 1; }

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* argv, char* const* environment, int output) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  if (output >= 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
  }
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  execvpe(argv[0], argv, environment);
  constexpr std::string_view kAbsent = ": cannot be started\n";
  if (write(STDERR_FILENO, argv[0], std::strlen(argv[0])) < 0 ||
      write(STDERR_FILENO, kAbsent.data(), kAbsent.size()) < 0) {
    _exit(126);
  }
  _exit(127);
}

/// Our environment with the given variables set.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    bool replaced = false;
    for (const auto& [key, value] : added) replaced = replaced || key == name;
    if (!replaced) result.emplace_back(*entry);
  }
  for (const auto& [key, value] : added) {
    result.push_back(key);
    result.back().append("=").append(value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

/// Reads a piece of output; false when there is none left to come.
bool read_piece(int pipe_end, const ProcessOptions& options, std::string& output) {
  char bytes[8192];
  const ssize_t count = read(pipe_end, bytes, sizeof bytes);
  if (count <= 0) return count < 0 && errno == EINTR;
  const std::string_view piece(bytes, static_cast<std::size_t>(count));
  output += piece;
  if (options.on_output) options.on_output(piece);
  return true;
}

/// Ends a program that is late or not wanted any more.
class Ending {
 public:
  Ending(pid_t child, double timeout_seconds)
      : child_(child), timeout_(timeout_seconds) {}

  /// To be called again and again; true when it was the timeout that ended it.
  bool watch(const std::function<bool()>& unwanted) {
    if (timeout_ > 0 && since(start_) > timeout_) {
      kill(-child_, SIGKILL);
      return true;
    }
    if (!asked_ && (interrupted() || (unwanted && unwanted()))) {
      // Asked first: a build tool then stops its compilers, which we do not know.
      kill(-child_, SIGINT);
      asked_ = true;
      asked_at_ = Clock::now();
    } else if (asked_ && since(asked_at_) > kGrace) {
      kill(-child_, SIGKILL);
    }
    return false;
  }

 private:
  static constexpr double kGrace = 2;  // seconds

  static double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  pid_t child_;
  double timeout_;
  Clock::time_point start_ = Clock::now();
  bool asked_ = false;
  Clock::time_point asked_at_;
};

/// Collects output until the program is gone and nothing is left to read. A grandchild
/// that keeps the pipe open does not keep us waiting.
int follow(pid_t child, int pipe_end, const ProcessOptions& options,
           ProcessResult& result) {
  Ending ending(child, options.timeout_seconds);
  int status = 0;
  bool open = pipe_end >= 0;
  bool gone = false;
  while (true) {
    pollfd ready = {pipe_end, POLLIN, 0};
    const int events = poll(&ready, open ? 1 : 0, gone ? 0 : 5);
    if (events > 0) open = read_piece(pipe_end, options, result.output);
    if (gone && (events <= 0 || !open)) return status;
    if (!gone) gone = waitpid(child, &status, WNOHANG) == child;
    if (!gone && ending.watch(options.unwanted)) result.timed_out = true;
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command,
                          const ProcessOptions& options) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(options.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  ProcessResult result;
  int ends[2] = {-1, -1};
  if (options.capture && pipe2(ends, O_CLOEXEC) != 0) {
    result.exit_code = 126;
    result.output = std::strerror(errno);
    return result;
  }
  const pid_t child = fork();
  if (child == 0) become(argv.data(), envp.data(), ends[1]);
  if (ends[1] >= 0) close(ends[1]);
  if (child < 0) {
    result.exit_code = 126;
    result.output = std::strerror(errno);
  } else {
    setpgid(child, child);
    const int status = follow(child, ends[0], options, result);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  if (ends[0] >= 0) close(ends[0]);
  return result;
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};  // nohup has it ignored: it stays so
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler == SIG_DFL) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

}  // namespace pipeline
