/// \file
/// For tests of the two ends of a wire: both talk over descriptor `kSocket` and keep
/// state for as long as their process lives, so that each is given a process of its
/// own. Test code.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "grading/wire.hpp"

namespace pipeline::test {

/// A process that runs `end` with one end of a socket as `kSocket`; the test has the
/// other one. It is ended where it waits for ever, so that the test fails and goes on.
class ForkedEnd {
 public:
  /// What `end` returns comes back from `join`.
  explicit ForkedEnd(const std::function<std::string()>& end) {
    std::array<int, 2> wire{};
    std::array<int, 2> result{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire.data()), 0);
    EXPECT_EQ(pipe(result.data()), 0);
    process_ = fork();
    if (process_ == 0) run(end, wire, result);
    close(wire[1]);
    close(result[1]);
    socket_ = wire[0];
    result_ = result[0];
  }
  ~ForkedEnd() {
    hang_up();
    join();
    close(result_);
  }
  ForkedEnd(const ForkedEnd&) = delete;
  ForkedEnd& operator=(const ForkedEnd&) = delete;

  int socket() const { return socket_; }

  void say(const std::string& bytes) const {
    send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// The next message, or "(closed)".
  std::string hear() const {
    std::string message;
    const bool came = receive_message(socket_, message) == Received::Message;
    return came ? message : "(closed)";
  }
  void hang_up() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  /// Waits for its end.
  std::string join() {
    if (process_ < 0) return said_;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = read(result_, piece.data(), piece.size())) > 0;)
      said_.append(piece.data(), static_cast<std::size_t>(got));
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    if (WIFSIGNALED(status))
      said_ += "(signal " + std::to_string(WTERMSIG(status)) + ")";
    return said_;
  }

 private:
  [[noreturn]] static void run(const std::function<std::string()>& end,
                               const std::array<int, 2>& wire,
                               const std::array<int, 2>& result) {
    // Out of the way first: any of the four may be number 3.
    const int ours = moved_above(wire[1]);
    const int out = moved_above(result[1]);
    close(wire[0]);
    dup2(ours, kSocket);
    close(ours);
    alarm(kPatience);
    const std::string said = end();
    const ssize_t written = write(out, said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  static int moved_above(int number) {
    const int moved = fcntl(number, F_DUPFD_CLOEXEC, 100);
    close(number);
    return moved;
  }

  static constexpr unsigned kPatience = 30;  // seconds; a test takes a few ms

  pid_t process_ = -1;
  int socket_ = -1;
  int result_ = -1;
  std::string said_;
};

/// `bytes` as a message: their length, and they themselves.
inline std::string framed(const std::string& bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + bytes;
}

/// The beginning of a request or reply.
inline std::string number_bytes(std::uint32_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace pipeline::test
