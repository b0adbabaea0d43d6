/// \file
/// Where grading puts all that it writes. Nobody but its owner may look into it: it
/// holds grades, the secret seed and what tests said.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "schedule/error.hpp"

namespace pipeline {

/// A folder for what grading writes, held by one run at a time.
class OutputFolder {
 public:
  /// Creates it where it is not there. Refuses one in which another run is at work.
  static Expected<OutputFolder> open(std::filesystem::path path);
  /// Takes it over, with its lock.
  OutputFolder(OutputFolder&& other) noexcept;
  /// Takes it over, with its lock.
  OutputFolder& operator=(OutputFolder&& other) noexcept;
  ~OutputFolder();

  /// Where it is.
  const std::filesystem::path& path() const { return path_; }

 private:
  OutputFolder(std::filesystem::path path, int lock)
      : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;  ///< a descriptor, -1 where this value was moved from
};

/// Like write_file, for the owner's eyes alone from the first byte on.
Expected<void> write_secret(const std::filesystem::path& path, std::string_view text);

/// The secret seed that `file` keeps, which nobody but its owner may read: `given`,
/// which it keeps from now on, or the one that is there, or one that is drawn now.
Expected<std::string> keep_seed(const std::filesystem::path& file,
                                const std::string& given);

}  // namespace pipeline
