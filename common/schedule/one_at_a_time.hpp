/// \file
/// Lowered rows without groups. Private to the schedule part.
#pragma once

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// The same schedule with the sends and receives of each group one after another, in an
/// order in which they do not hang either: the two ends of a message are put into their
/// rows at the same moment, as soon as both have been reached. Refuses rows that hang
/// under rendezvous as they are. Linear in the number of actions.
///
///     SA1+RG0 │ B0              SA1 RG0 B0
///     F1 comes from RA1 and     RA1 SG0 F1
///     SG0 goes out: SG0+RA1
Expected<Schedule> one_at_a_time(const Schedule& lowered);

}  // namespace pipeline
