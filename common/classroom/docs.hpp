/// \file
/// The site: pages made of what stands in the tree and of what programs print, then by
/// Doxygen.
#pragma once

#include <filesystem>
#include <string>

#include "classroom/workspace.hpp"

namespace pipeline {

/// What making the site came to.
struct DocsResult {
  bool good = false;            ///< no warning, and every page is there
  bool absent = false;          ///< what makes the pages is not all installed
  std::string output;           ///< its warnings, each an error here
  std::filesystem::path index;  ///< the first page
};

/// Makes build/docs/html, with the programs that draw figures and the lab's module
/// built first.
DocsResult make_docs(const Workspace& at);

}  // namespace pipeline
