/// \file
/// A command in a terminal of its own, for tests: what it shows, and keys for it. Test
/// code.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace pipeline::test {

/// The terminal's other end. The command runs below a shell of a few lines, so that
/// Ctrl-Z stops it: what is stopped is continued at once, with a line that says so.
class PtySession {
 public:
  PtySession(const std::function<int()>& command, unsigned short columns,
             unsigned short rows = 24) {
    winsize size = {rows, columns, 0, 0};
    std::fflush(nullptr);
    shell_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (shell_ == 0) _exit(be_a_shell(command));
  }
  ~PtySession() {
    kill(-shell_, SIGKILL);
    close(terminal_);
    if (!ended_) waitpid(shell_, nullptr, 0);
  }
  PtySession(const PtySession&) = delete;
  PtySession& operator=(const PtySession&) = delete;

  /// Waits until the screen holds the text, up to a minute.
  bool shows(std::string_view text) {
    return read_until([&] { return screen().find(text) != std::string::npos; });
  }

  /// Waits until so many bytes were written, up to a minute.
  bool wrote(std::size_t bytes) {
    return read_until([&] { return output_.size() >= bytes; });
  }

  void press(std::string_view keys) {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()),
              static_cast<ssize_t>(keys.size()));
  }

  void resize(unsigned short columns, unsigned short rows = 24) {
    winsize size = {rows, columns, 0, 0};
    EXPECT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
  }

  /// Waits for the end; the exit code, or -1 after a minute.
  int ends() {
    if (!read_until([] { return false; }) && !closed_) return -1;
    int status = 0;
    if (waitpid(shell_, &status, 0) != shell_) return -1;
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// What was written since the screen was last cleared, and all that ever was.
  std::string screen() const {
    const std::size_t at = output_.rfind("\033[2J");
    return at == std::string::npos ? output_ : output_.substr(at + 4);
  }
  const std::string& output() const { return output_; }
  void forget() { output_.clear(); }

 private:
  static constexpr int kPatience = 60000;  // milliseconds

  /// In the child. Writes, when all is over, whether the terminal echoes as before.
  static int be_a_shell(const std::function<int()>& command) {
    std::signal(SIGTTOU, SIG_IGN);
    termios before = {};
    tcgetattr(0, &before);
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      tcsetpgrp(0, getpid());
      std::signal(SIGTTOU, SIG_DFL);
      // From here on Ctrl-C goes to the command.
      _exit(write(1, "$ ", 2) == 2 ? command() : 99);
    }
    setpgid(child, child);
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
      tcsetpgrp(0, getpgrp());
      say(before, "stopped");
      tcsetpgrp(0, child);
      kill(-child, SIGCONT);
    }
    tcsetpgrp(0, getpgrp());
    say(before, "ended");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  static void say(const termios& before, const std::string& what) {
    termios now = {};
    tcgetattr(0, &now);
    const bool same = now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag &&
                      now.c_oflag == before.c_oflag;
    const std::string line =
        "[" + what + (same ? ", terminal as before]\n" : ", TERMINAL CHANGED]\n");
    if (write(1, line.data(), line.size()) < 0) _exit(99);
  }

  bool read_until(const std::function<bool()>& done) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(kPatience);
    while (!done()) {
      pollfd ready = {terminal_, POLLIN, 0};
      if (closed_ || Clock::now() > end) return false;
      if (poll(&ready, 1, 1000) <= 0) continue;
      char bytes[4096];
      const ssize_t count = read(terminal_, bytes, sizeof bytes);
      closed_ = count <= 0 && errno != EINTR;
      if (count > 0) output_.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
  }

  int terminal_ = -1;
  pid_t shell_ = -1;
  bool closed_ = false;
  bool ended_ = false;
  std::string output_;
};

}  // namespace pipeline::test
