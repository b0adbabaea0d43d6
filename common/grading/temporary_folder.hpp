/// \file
/// A folder for a short time.
#pragma once

#include <filesystem>
#include <string>

namespace pipeline {

/// A new folder where the system keeps such ($TMPDIR, else /tmp); gone with all it
/// holds when this value goes. Nobody else may list it, but who knows a name in it and
/// has the right to that can reach it, so that another user's sandbox can mount it.
class TemporaryFolder {
 public:
  /// Throws std::filesystem::filesystem_error where none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// A path within it.
  std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  /// Where it is.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pipeline
