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
  bool good = false;    ///< no warning, and every page is there
  bool faulty = false;  ///< what it is made of does not compile, or has warnings
  std::string output;   ///< what compilers or Doxygen say of that
  Error error;          ///< why it is not good; Absent where a tool is not installed
  std::filesystem::path index;  ///< the first page
};

/// Makes build/docs/html, with the programs that draw figures and the lab's module
/// built first. It is made in build/docs/making, and takes the place of the site that
/// is there when it is whole: until then, and where it fails, readers have that one.
/// One at a time of those who make it in one checkout.
DocsResult make_docs(const Workspace& at);

}  // namespace pipeline
