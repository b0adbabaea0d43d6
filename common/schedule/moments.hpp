/// \file
/// One order of all that the devices of a schedule run. Private to the schedule part.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// A place in that order.
using Moment = std::int64_t;

/// When each unit of each row runs, if everything takes one tick and all devices go on
/// as soon as they can: by row, and by unit (an entry, or several joined ones). Along a
/// row moments increase. No two are equal but those of devices that meet in a
/// collective. What a unit needs has an earlier moment, and so has all that its device
/// and those that it meets ran before.
///
/// The rows are not lowered. Nothing, if they have a fault. Linear.
std::optional<std::vector<std::vector<Moment>>> moments_of(const Schedule& schedule);

}  // namespace pipeline
