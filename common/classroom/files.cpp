#include "classroom/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

namespace pipeline {
namespace fs = std::filesystem;
namespace {

tl::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return refuse("cannot write " + path.string() + ": " + std::strerror(error),
                "Name a file in a folder that exists and that you may write to.");
}

bool put(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  return out.good();
}

}  // namespace

Expected<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return refuse(path.string() + " is a folder", "Name a file.");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return refuse("cannot read " + path.string() + ": " + std::strerror(errno),
                  "Name a file that exists and that you may read.");
  }
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

Expected<void> write_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  // Through a link to what it points to, so that the link stays one.
  fs::path target = fs::weakly_canonical(path, error);
  if (error || target.empty()) target = path;
  errno = 0;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    if (put(target, text)) return {};
    return cannot_write(path, errno);
  }
  const fs::path beside = target.string() + ".part" + std::to_string(getpid());
  if (!put(beside, text)) {
    const int reason = errno;
    fs::remove(beside, error);
    return cannot_write(path, reason);
  }
  fs::rename(beside, target, error);
  if (error) {
    const int reason = error.value();
    fs::remove(beside, error);
    return cannot_write(path, reason);
  }
  return {};
}

}  // namespace pipeline
