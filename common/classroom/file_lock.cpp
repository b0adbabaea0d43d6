#include "classroom/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "classroom/process.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// Tries again and again; false when it is not to be had.
template <typename Try>
bool wait_until(const Try& taken, const std::function<bool()>& unwanted) {
  constexpr std::chrono::milliseconds kPause(20);
  while (!taken()) {
    if (interrupted() || (unwanted && unwanted())) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

/// What the threads of this program share: they exclude each other by the mutex, and
/// the one that has it excludes other programs by the descriptor.
struct FileLock::Shared {
  std::recursive_mutex mutex;
  int depth = 0;
  int descriptor = -1;

  bool lock_file(const fs::path& file, const std::function<bool()>& unwanted) {
    descriptor = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (descriptor < 0) return false;
    bool good = false;
    const auto taken = [&] {
      good = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
      return good || (errno != EWOULDBLOCK && errno != EINTR);
    };
    if (!wait_until(taken, unwanted) || !good) close(descriptor);
    return good;
  }

  void unlock_file() const {
    flock(descriptor, LOCK_UN);  // a child that is just being started has it open, too
    close(descriptor);
  }
};

FileLock::Shared& FileLock::shared_for(const fs::path& file) {
  static std::mutex mutex;
  static std::map<fs::path, Shared> all;
  std::error_code ignored;
  const std::lock_guard guard(mutex);
  return all[fs::weakly_canonical(file, ignored)];
}

FileLock::FileLock(const fs::path& file, const std::function<bool()>& unwanted)
    : shared_(shared_for(file)) {
  if (!wait_until([&] { return shared_.mutex.try_lock(); }, unwanted)) return;
  held_ = shared_.depth > 0 || shared_.lock_file(file, unwanted);
  if (held_) {
    ++shared_.depth;
  } else {
    shared_.mutex.unlock();
  }
}

FileLock::~FileLock() {
  if (!held_) return;
  if (--shared_.depth == 0) shared_.unlock_file();
  shared_.mutex.unlock();
}

}  // namespace pipeline
