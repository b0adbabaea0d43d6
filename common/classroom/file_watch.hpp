/// \file
/// Which of some files were saved, whatever way an editor has of saving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace pipeline {

/// inotify only wakes it up: what counts is whether the file at the path is another one
/// than before (its inode, size or time). So a file that is replaced by renaming, or on
/// a file system that reports no events, is found all the same, if a little later.
class FileWatch {
 public:
  /// Of these files, which need not be there.
  explicit FileWatch(std::vector<std::filesystem::path> files);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Can be read when something may have changed; negative where there is no inotify.
  int descriptor() const { return descriptor_; }

  /// The files, by their place in the list, that changed since the last call. When
  /// something goes on, waits until it is over: a save may take several steps.
  std::vector<std::size_t> changed();

 private:
  struct Mark {
    bool exists = false;
    std::uintmax_t inode = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;

    bool operator==(const Mark&) const = default;
  };
  static Mark mark_of(const std::filesystem::path& file);
  void watch_folders();
  bool drain();

  std::vector<std::filesystem::path> files_;
  std::vector<Mark> marks_;
  int descriptor_ = -1;
};

}  // namespace pipeline
