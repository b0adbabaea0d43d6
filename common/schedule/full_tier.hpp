/// \file
/// How much tests are to do. Test code.
#pragma once

#include <cstdlib>
#include <string_view>

namespace pipeline {

/// Whether this is the full tier (./workbook test --full), in which sweeps have their
/// full size: WORKBOOK_FULL=1 in the environment.
inline bool in_full_tier() {
  const char* full = std::getenv("WORKBOOK_FULL");
  return full != nullptr && std::string_view(full) == "1";
}

}  // namespace pipeline
