/// \file
/// The gradebook as tables: CSV by RFC 4180, in UTF-8, lines that end in CR LF. No cell
/// is a formula to a spreadsheet: see `harmless_cell`.
#pragma once

#include <string>

#include "grading/gradebook.hpp"

namespace pipeline {

/// A header, the points possible, and a row a student:
///
///     id,name,status,points,late_days,mistake,sandbox,TickCount.IsSix,…
///     Points possible,,,9,,,,1,…
///     student-01,Student One,ok,8,0.5,,bubblewrap,1,…
///
/// `points` are raw: nothing is taken off for late days. Of a grader's error there are
/// none, so that whoever reads the table keeps what was there.
std::string grades_as_csv(const Gradebook& gradebook);

/// How many students fell for which named mistake, the most frequent first; the last
/// row counts those who failed by none of them:
///
///     mistake,what,students,handed_in
///     last_micro_batch_dropped,the last micro-batch is dropped,17,288
std::string mistakes_as_csv(const Gradebook& gradebook);

/// `id,cpu_seconds,wall_seconds`: what differs between two runs.
std::string times_as_csv(const Gradebook& gradebook);

}  // namespace pipeline
