#include "grading/output_folder.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "classroom/files.hpp"
#include "grading/sha256.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kOwnerOnly = 0700;
constexpr mode_t kOwnerReads = 0600;

tl::unexpected<Error> cannot(const char* what, const fs::path& path, int error) {
  return refuse(
      std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(error),
      "Name another folder: --out DIR.");
}

}  // namespace

Expected<OutputFolder> OutputFolder::open(fs::path path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    fs::create_directories(path.parent_path(), error);
    if (mkdir(path.c_str(), kOwnerOnly) != 0) return cannot("create", path, errno);
  }
  const fs::path file = path / ".lock";
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerReads);
  if (lock < 0) return cannot("write to", path, errno);
  // Not flock: what is forked meanwhile would hold that too, after we are killed.
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  if (fcntl(lock, F_SETLK, &whole) != 0) {
    close(lock);
    return refuse("another run is grading into " + path.string(),
                  "Wait for it, or name another folder: --out DIR.");
  }
  return OutputFolder(std::move(path), lock);
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

OutputFolder& OutputFolder::operator=(OutputFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

Expected<void> write_secret(const fs::path& path, std::string_view text) {
  const std::string beside = path.string() + ".part" + std::to_string(getpid());
  const int file =
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerReads);
  if (file < 0) return cannot("write", path, errno);
  const bool good =
      write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  close(file);
  if (good && std::rename(beside.c_str(), path.c_str()) == 0) return {};
  std::error_code ignored;
  fs::remove(beside, ignored);
  return cannot("write", path, good ? errno : reason);
}

OutputFolder::~OutputFolder() {
  if (lock_ >= 0) close(lock_);
}

Expected<std::string> keep_seed(const fs::path& file, const std::string& given) {
  std::string kept;
  if (const auto read = read_file(file)) kept = *read;
  while (!kept.empty() && kept.back() == '\n') kept.pop_back();
  if (!kept.empty() && (given.empty() || given == kept)) return kept;
  std::string seed = given;
  if (seed.empty()) {
    std::array<char, 32> random{};
    if (getrandom(random.data(), random.size(), 0) !=
        static_cast<ssize_t>(random.size())) {
      return cannot("draw a seed for", file, errno);
    }
    seed = sha256({random.data(), random.size()}).substr(0, 32);
  }
  if (const auto written = write_secret(file, seed + "\n"); !written)
    return tl::unexpected(written.error());
  return seed;
}

}  // namespace pipeline
