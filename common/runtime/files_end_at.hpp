/// \file
/// A disk that is full, for tests. Test code.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace pipeline {

/// While it lives, no file can grow longer than so many bytes: writing fails there, as
/// on a full disk.
class FilesEndAt {
 public:
  explicit FilesEndAt(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FilesEndAt() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FilesEndAt(const FilesEndAt&) = delete;
  FilesEndAt& operator=(const FilesEndAt&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace pipeline
