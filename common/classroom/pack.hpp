/// \file
/// A folder with what a cluster node lacks, so that nothing need be installed there.
#pragma once

#include <filesystem>

#include "schedule/error.hpp"

namespace pipeline {

/// Fills `folder`, which may exist:
///
///     include/      CLI11, nlohmann/json, tl/expected, zlib's headers
///     lib/libz.a    used only where the node has no zlib to compile against
///     googletest/   sources
///     data/         Fashion-MNIST
///
/// CMake takes it as WORKBOOK_PACK. Absent, with the packages to install, when
/// something is not on this machine either.
Expected<void> fill_pack(const std::filesystem::path& folder);

}  // namespace pipeline
