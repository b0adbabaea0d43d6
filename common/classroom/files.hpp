/// \file
/// Whole files, read and written at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "schedule/error.hpp"

namespace pipeline {

/// The whole file; refuses one that cannot be read.
Expected<std::string> read_file(const std::filesystem::path& path);

/// All or nothing: the text goes to a file beside `path` that then takes its name, so
/// that a full disk or Ctrl-C leaves the old file as it was. Devices and pipes, such as
/// /dev/null, are written to directly.
Expected<void> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace pipeline
