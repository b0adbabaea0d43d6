/// \file
/// The site, made by Doxygen.
#pragma once

#include <filesystem>
#include <string>

#include "classroom/workspace.hpp"

namespace pipeline {

struct DocsResult {
  bool good = false;
  std::string output;           ///< its warnings, each an error here
  std::filesystem::path index;  ///< the first page
};

/// Makes build/docs/html.
DocsResult make_docs(const Workspace& at);

}  // namespace pipeline
