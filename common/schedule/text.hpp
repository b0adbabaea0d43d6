/// \file
/// The text form of a schedule: for people, for files, and back again without loss.
///
///     schedule: 1f1b
///     devices: 2
///     device-of-stage: 0 1
///     micro-batches: 2
///     steps: 1
///     training: yes
///     row 0: F0 F1 B0 B1 U1
///     row 1: F0 B0 F1 B1 U1
///     end
///
/// Three lines stand only where they say something:
///
///     second-copy: 1 0          behind device-of-stage: the second copy of the weights
///     weights: stashed          behind training (or vertical-sync, double-buffered)
///     slices: 2 1               behind that: into how many each micro-batch is cut
///
/// The lines come in this order, a row for each device. Blank lines and lines that
/// start with '#' are skipped. `end` is there so that a file cut short is noticed.
#pragma once

#include <string>
#include <string_view>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// The letters of a kind: F, B, I, W, R (recompute), SA and RA (send and receive
/// activation), SG and RG (gradient), AR (all-reduce of gradients), NR (of their norm),
/// U.
std::string_view to_text(ActionKind kind);

/// One action, short: letters and micro-batch, `F3`, `B0`, `U7`; with the stage before
/// them where the device holds several (`2F3`), with the slice after them where it is
/// not 0 (`F3.1`).
std::string to_text(const Action& action, bool with_stage);

/// The whole schedule as above. Joined entries are written `F3+B1`. Control characters
/// in the name become spaces.
std::string to_text(const Schedule& schedule);

/// The inverse of `to_text`: `parse_schedule(to_text(s)) == s` for every schedule that
/// has a row for each device and in which each joined entry has a next one. Refuses
/// with the line and the word at fault, and sizes beyond bounds.hpp before anything is
/// allocated. Whether the schedule makes sense is for `verify` to say.
Expected<Schedule> parse_schedule(std::string_view text);

}  // namespace pipeline
