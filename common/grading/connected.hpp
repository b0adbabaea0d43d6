/// \file
/// A program of ours that is driven over a socket, without a sandbox: an answer that
/// stands in where a student's test is graded, and, at home, that test itself.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace pipeline {

/// Runs `program` with one end of a socket as its descriptor `kSocket` (wire.hpp), and
/// without any other of ours. Limits, in case that it is asked for too much: 2 s of CPU
/// time, 1 GiB of memory. What it prints goes nowhere.
class Connected {
 public:
  /// Starts it.
  explicit Connected(const std::filesystem::path& program);
  ~Connected();  ///< ends it
  Connected(const Connected&) = delete;
  Connected& operator=(const Connected&) = delete;

  /// Our end. A program that could not be started shows as one that has ended.
  int socket() const { return socket_; }

 private:
  int socket_ = -1;
  pid_t child_ = -1;
};

}  // namespace pipeline
