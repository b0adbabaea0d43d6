/// \file
/// What only one at a time may do, of all threads and programs: by a lock on a file.
#pragma once

#include <filesystem>
#include <functional>

namespace pipeline {

/// Holds the lock of a file, which it makes where there is none, until it goes. A
/// thread that holds it may take it again; everybody else waits: the other threads of
/// this program, and other programs. Programs that are started meanwhile do not hold
/// it, so that one which takes it must not be waited for.
class FileLock {
 public:
  /// Waits until it is free, or until `unwanted` or `interrupted()` says otherwise, or
  /// there can be no lock, as in a folder that cannot be written to: `held` is false
  /// then.
  explicit FileLock(const std::filesystem::path& file,
                    const std::function<bool()>& unwanted = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Whether it is ours.
  bool held() const { return held_; }

 private:
  struct Shared;
  static Shared& shared_for(const std::filesystem::path& file);

  Shared& shared_;
  bool held_ = false;
};

}  // namespace pipeline
