/// \file
/// The text form of a schedule: for people, for files, and back again without loss.
#pragma once

#include <string>
#include <string_view>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// One action, short: `F3`, `B0`, `I2`, `W2`, `R1`, `U`; with a stage where the device
/// holds several (`2F3`), with a slice where there are slices.
std::string to_text(const Action& action, bool with_stage);

std::string to_text(const Schedule& schedule);

/// The inverse of `to_text`: `parse(to_text(s)) == s`. Refuses with the line and the
/// word at fault.
Expected<Schedule> parse_schedule(std::string_view text);

}  // namespace pipeline
