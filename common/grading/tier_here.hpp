/// \file
/// For tests that judge answers. Test code.
#pragma once

#include "grading/sandbox.hpp"

namespace pipeline {

/// Whether exercises have kits and stand-ins here; a build with a sanitizer has none.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kKitsAreHere = false;
#else
inline constexpr bool kKitsAreHere = true;
#endif
inline constexpr const char* kNoKits = "a build with a sanitizer has no kits";

/// The tier in which answers are judged here; or why they cannot be. A test that judges
/// is then reported as skipped, with that reason.
inline Expected<Tier> tier_here() {
  if (!kKitsAreHere) return absent(kNoKits, "");
  return choose_tier("");
}

}  // namespace pipeline
