/// \file
/// For tests that judge answers. Test code.
#pragma once

#include "grading/sandbox.hpp"

namespace pipeline {

/// The tier in which answers are judged here; or why they cannot be. A test that judges
/// is then reported as skipped, with that reason.
inline Expected<Tier> tier_here() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return absent("a build with a sanitizer has no kits of exercises", "");
#else
  return choose_tier("");
#endif
}

}  // namespace pipeline
