#include "classroom/file_watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace pipeline {
namespace {

constexpr int kQuiet = 60;  // milliseconds without an event: the save is over
constexpr int kMostRounds = 50;

}  // namespace

FileWatch::FileWatch(std::vector<std::filesystem::path> files)
    : files_(std::move(files)), descriptor_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  watch_folders();
  marks_.reserve(files_.size());
  for (const auto& file : files_) marks_.push_back(mark_of(file));
}

FileWatch::~FileWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

FileWatch::Mark FileWatch::mark_of(const std::filesystem::path& file) {
  struct stat status = {};
  if (stat(file.c_str(), &status) != 0) return {};
  return {true, status.st_ino, static_cast<std::uintmax_t>(status.st_size),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

/// Once more whenever something happened: a folder may itself have been replaced.
/// Watching one that is watched already changes nothing.
void FileWatch::watch_folders() {
  if (descriptor_ < 0) return;
  for (const auto& file : files_) {
    inotify_add_watch(descriptor_, file.parent_path().c_str(),
                      IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE |
                          IN_DELETE_SELF | IN_MOVE_SELF);
  }
}

/// Reads off all events; whether there were any.
bool FileWatch::drain() {
  std::array<char, 4096> events;
  bool any = false;
  while (descriptor_ >= 0 && read(descriptor_, events.data(), events.size()) > 0) {
    any = true;
  }
  return any;
}

std::vector<std::size_t> FileWatch::changed() {
  if (drain()) {
    for (int round = 0; round < kMostRounds; ++round) {
      pollfd more = {descriptor_, POLLIN, 0};
      if (poll(&more, 1, kQuiet) <= 0 || !drain()) break;
    }
    watch_folders();
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const Mark now = mark_of(files_[i]);
    if (now == marks_[i]) continue;
    marks_[i] = now;
    result.push_back(i);
  }
  return result;
}

}  // namespace pipeline
