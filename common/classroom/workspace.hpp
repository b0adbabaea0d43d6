/// \file
/// Where the workbook stands, and how its programs are built.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Where things are.
struct Workspace {
  std::filesystem::path root;   ///< the checkout
  std::filesystem::path build;  ///< the build folder that this command belongs to

  /// Progress and backups of whoever works here; not part of the checkout.
  std::filesystem::path state() const { return root / ".workbook"; }
};

/// What a build came to: `output` is what the compiler said.
struct BuildResult {
  bool good = false;   ///< whether every target was built
  std::string output;  ///< warnings and errors
};

/// What a build does after an error.
enum class OnError : std::uint8_t {
  Stop,  ///< at the first error
  GoOn   ///< with all that can still be built
};

/// The file by whose lock (file_lock.hpp) only one at a time builds in a folder: build
/// tools have none of their own. The script ./workbook takes it, too.
std::filesystem::path build_lock(const std::filesystem::path& build);

/// Builds targets (all default ones when the list is empty) in a configured folder,
/// with progress on a terminal. Says nothing else. `OnError::GoOn` builds what can
/// still be built after an error, to find all there are; `unwanted` as in
/// ProcessOptions. Holds the folder's lock meanwhile, so that nothing that is built may
/// start another build there and wait for it.
BuildResult build_targets(const std::filesystem::path& build,
                          const std::vector<std::string>& targets,
                          OnError on_error = OnError::Stop,
                          const std::function<bool()>& unwanted = {});

/// The errors in what a compiler said: the failed commands and their messages without
/// the progress lines.
std::string compiler_errors(const std::string& output);

/// Whether a build stopped because the folder was configured without this target.
bool lacks_target(const std::string& output, const std::string& target);

}  // namespace pipeline
