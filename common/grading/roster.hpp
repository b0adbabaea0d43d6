/// \file
/// Who is in the class: a CSV with a header, as instructors write it or as a learning
/// platform exports it. Columns are found by their names, whatever their case:
///
///     ids     id, sid, student id, id number, sis user id, sis login id, login id,
///             username, identifier, email, email address, folder, file; the first of
///             them that is there is the student's id
///     name    name, student, student name, full name; or first name and last name
///     due     due, due date, deadline: this student's own, a time as in dates.hpp
///     late    late, late days, days late: a number; lateness (h:m:s)
///
/// Canvas's row "Points Possible" and its student "Student, Test" are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/submission.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// One line of the roster.
struct RosterEntry {
  std::string id;                   ///< by which reports name the student
  std::string name;                 ///< to be read; the id where there is none
  std::vector<std::string> ids;     ///< all of them
  std::optional<std::int64_t> due;  ///< seconds since 1970, of this student alone
  std::optional<double> late_days;  ///< as the roster itself says

  bool operator==(const RosterEntry&) const = default;
};

/// Refuses a table without ids, two students of one id, and a due or late cell that it
/// cannot read, naming the row.
Expected<std::vector<RosterEntry>> parse_roster(std::string_view csv);

/// One student of the class.
struct Enrolled {
  RosterEntry who;                 ///< the line of the roster
  std::optional<HandedIn> handed;  ///< what they handed in, if anything
};

/// A roster, and what was handed in by whom.
struct MatchedClass {
  std::vector<Enrolled> students;  ///< the roster's, in the order of their ids
  std::vector<std::string> notes;  ///< submissions of nobody, and second ones
};

/// Gives each submission to the one student who has one of its ids (whatever their
/// case) or, if there is none, its name (whatever its order and punctuation).
MatchedClass match_roster(const std::vector<RosterEntry>& roster,
                          std::vector<HandedIn> handed);

/// The class where there is no roster: everybody who handed something in.
MatchedClass without_roster(std::vector<HandedIn> handed);

}  // namespace pipeline
