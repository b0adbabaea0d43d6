/// \file
/// Actions as the faults name them. Private to the schedule part.
#pragma once

#include <string>

#include "schedule/action.hpp"

namespace pipeline {

/// "F3 of stage 1".
std::string in_words(const Action& action);

/// "activation 3": what a send or a receive is about.
std::string message_in_words(const Action& communication);

/// The other end of a message: for a send its receive, for a receive its send.
Action partner_of(const Action& communication);

}  // namespace pipeline
