/// \file
/// What one student handed in, as it lies there: a folder, a zip, or a single file.
/// Nothing in it is trusted: no link is followed, nothing but plain files is opened,
/// and only so much is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipeline {

inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 20U;  ///< of a source
inline constexpr std::size_t kMostSourceBytes = 16 * kMostFileBytes;  ///< of all
inline constexpr int kMostEntries = 20000;  ///< files and folders
inline constexpr int kMostDepth = 16;       ///< folders within folders

/// A C++ source or header.
struct HandedFile {
  std::string path;                  ///< within what was handed in, "/" between
  std::string text;                  ///< all of it
  std::optional<std::int64_t> when;  ///< last change, seconds since 1970

  std::string_view name() const;  ///< the last part of the path
};

/// What was found in what a student handed in.
struct HandedFiles {
  std::vector<HandedFile> sources;  ///< in the order of their paths
  /// What was refused and why, a sentence each, fit to be shown.
  std::vector<std::string> notes;
};

/// Reads the entry `name` of `folder`, which alone is trusted.
HandedFiles read_handed(const std::filesystem::path& folder, const std::string& name);

/// The parts of a path, those that are empty or "." left out.
std::vector<std::string_view> parts_of(std::string_view path);

}  // namespace pipeline
