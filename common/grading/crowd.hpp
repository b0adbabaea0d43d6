/// \file
/// A class of students who hand in what students do, and a tenth of them attacks: what
/// grading is tried on. Test code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "classroom/catalogue.hpp"
#include "schedule/error.hpp"

namespace pipeline {

enum class Handed : std::uint8_t {
  Solution,
  Starter,
  Mistake,     ///< a named one: the solution with a function of it
  Partial,     ///< the solution with a function as in the starter
  Unfinished,  ///< it ends in the middle, and does not compile
  Missing,     ///< a folder without an answer
  Attack,      ///< of the suite (attacks.hpp)
};

struct CrowdMember {
  std::string id;  ///< "student-001": also the name of the folder
  Handed handed = Handed::Missing;
  std::string what;  ///< of a mistake or an attack, its file's name
  std::string answer;

  bool operator==(const CrowdMember&) const = default;
};

/// `students` members, no two of whom hand in the same text: a tenth of them attacks on
/// this exercise (on which there must be some), spread over the whole. One seed gives
/// one crowd.
Expected<std::vector<CrowdMember>> make_crowd(const std::filesystem::path& root,
                                              const Unit& exercise,
                                              std::int32_t students,
                                              std::uint32_t seed);

/// As submissions: FOLDER/student-001/exercise.cpp, in an empty or new folder.
Expected<void> write_crowd(const std::vector<CrowdMember>& crowd,
                           const std::filesystem::path& folder);

}  // namespace pipeline
