/// \file
/// What a program leaves on a machine that it shares: files and System V objects.
#pragma once

#include <sys/types.h>

namespace pipeline {

/// Removes what a user owns where every user may leave something for whoever comes
/// next. Needs root, and that nothing of this user runs any more.
void remove_left_behind(uid_t user);

}  // namespace pipeline
