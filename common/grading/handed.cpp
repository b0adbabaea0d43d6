#include "grading/handed.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>

#include "grading/archive.hpp"
#include "grading/shown.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostNotes = 20;
constexpr std::size_t kMostNameBytes = 120;

struct CloseListing {
  void operator()(DIR* listing) const { closedir(listing); }
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool good() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

bool has_end(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) {
    return name.size() > end.size() &&
           std::equal(end.begin(), end.end(), name.end() - static_cast<int>(end.size()),
                      [](char a, char b) { return a == std::tolower(b); });
  });
}

bool is_source(std::string_view name) {
  return has_end(name, {".cpp", ".hpp", ".cc", ".cxx", ".h"});
}

/// Folders and files that come along by themselves and hold no answer.
bool comes_along(std::string_view name) {
  return name.starts_with(".") || name == "__MACOSX" || name == "build";
}

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// At most `most` bytes; nothing where there are more.
std::optional<std::string> bytes_of(int file, std::size_t most) {
  std::string bytes;
  char piece[8192];
  while (true) {
    const ssize_t count = read(file, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(count));
    if (bytes.size() > most) return std::nullopt;
  }
}

/// Walks through what was handed in, and counts.
class Collector {
 public:
  void entry(int folder, const std::string& name, const std::string& path, int depth);
  HandedFiles result() {
    std::sort(found_.sources.begin(), found_.sources.end(),
              [](const HandedFile& a, const HandedFile& b) { return a.path < b.path; });
    return std::move(found_);
  }

 private:
  void file(int folder, const std::string& name, const std::string& path);
  void folder(int parent, const std::string& name, const std::string& path, int depth);
  void zip(int file, const std::string& path);
  bool zip_entry(const ArchiveEntry& entry, const EntryBytes& bytes,
                 const std::string& zip_path);
  void keep(std::string path, std::optional<std::string> text,
            std::optional<std::int64_t> when);
  /// Counts one more entry; false when there are too many.
  bool count() {
    if (++entries_ == kMostEntries)
      found_.notes.push_back("more than " + std::to_string(kMostEntries) +
                             " files: the rest was not looked at");
    return entries_ < kMostEntries;
  }
  void note(std::string_view path, const std::string& what) {
    if (found_.notes.size() < kMostNotes)
      found_.notes.push_back(shortened(visible_line(path), kMostNameBytes) + what);
  }
  std::size_t room() const {
    return std::min(kMostFileBytes, kMostSourceBytes - taken_);
  }

  HandedFiles found_;
  std::size_t taken_ = 0;
  int entries_ = 0;
};

void Collector::entry(int folder, const std::string& name, const std::string& path,
                      int depth) {
  struct stat what = {};
  if (fstatat(folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0) {
    note(path, std::string(" cannot be read: ") + std::strerror(errno));
  } else if (S_ISDIR(what.st_mode)) {
    this->folder(folder, name, path, depth);
  } else if (S_ISREG(what.st_mode)) {
    file(folder, name, path);
  } else {
    note(path, std::string(" is ") + kind_of(what.st_mode) + ": not opened");
  }
}

void Collector::file(int folder, const std::string& name, const std::string& path) {
  const bool zipped = has_end(name, {".zip"});
  if (!zipped && !is_source(name)) return;
  const Descriptor file(
      openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat what = {};
  // Looked at again, now that nobody can put something else in its place.
  if (!file.good() || fstat(file.number(), &what) != 0 || !S_ISREG(what.st_mode)) {
    note(path, " cannot be read");
  } else if (zipped) {
    zip(file.number(), path);
  } else {
    keep(path, bytes_of(file.number(), room()), what.st_mtim.tv_sec);
  }
}

void Collector::folder(int parent, const std::string& name, const std::string& path,
                       int depth) {
  if (depth == kMostDepth) return note(path, " lies too deep: not looked at");
  Descriptor opened(
      openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.good()) return note(path, " cannot be read");
  const std::unique_ptr<DIR, CloseListing> listing(fdopendir(opened.number()));
  if (listing == nullptr) return note(path, " cannot be read");
  opened.release();
  std::vector<std::string> names;
  while (const dirent* found = readdir(listing.get())) {
    if (comes_along(found->d_name)) continue;
    if (!count()) break;
    names.emplace_back(found->d_name);
  }
  std::sort(names.begin(), names.end());
  const std::string above = path.empty() ? "" : path + "/";
  for (const std::string& each : names)
    entry(dirfd(listing.get()), each, above + each, depth + 1);
}

void Collector::zip(int file, const std::string& path) {
  const auto visited =
      visit_zip(file, [&](const ArchiveEntry& entry, const EntryBytes& bytes) {
        return count() && zip_entry(entry, bytes, path);
      });
  if (!visited) note(path, " is " + visible_line(visited.error().what));
}

bool Collector::zip_entry(const ArchiveEntry& entry, const EntryBytes& bytes,
                          const std::string& zip_path) {
  const std::vector<std::string_view> parts = parts_of(entry.path);
  if (entry.path.starts_with("/") || entry.path.find('\\') != std::string::npos ||
      std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    note(entry.path, " in " + visible_line(last_part(zip_path)) +
                         " leads out of the zip: not read");
    return true;
  }
  if (parts.empty() || std::any_of(parts.begin(), parts.end(), comes_along))
    return true;
  if (entry.kind == EntryKind::Link) {
    note(entry.path, " is a symbolic link: not followed");
  } else if (entry.kind == EntryKind::File && is_source(parts.back())) {
    if (entry.encrypted) {
      note(entry.path, " is encrypted: not read");
    } else {
      keep(entry.path, bytes(room()), entry.when);
    }
  }
  return true;
}

void Collector::keep(std::string path, std::optional<std::string> text,
                     std::optional<std::int64_t> when) {
  if (!text) {
    note(path, room() < kMostFileBytes ? " is one source too many: 16 MB are read"
                                       : " is damaged, or larger than 1 MB: not read");
    return;
  }
  taken_ += text->size();
  found_.sources.push_back({std::move(path), std::move(*text), when});
}

}  // namespace

std::string_view HandedFile::name() const { return last_part(path); }

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

HandedFiles read_handed(const std::filesystem::path& folder, const std::string& name) {
  Collector collector;
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat what = {};
  const bool is_folder =
      fstatat(opened.number(), name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(what.st_mode);
  // Paths within a folder do not name it; a single file is its own path.
  collector.entry(opened.number(), name, is_folder ? "" : name, 0);
  return collector.result();
}

}  // namespace pipeline
