/// \file
/// Who handed in what.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/catalogue.hpp"
#include "schedule/error.hpp"

namespace pipeline {

struct Submission {
  std::string id;                  ///< unique: from the roster, or the folder's name
  std::string name;                ///< to be read; the id where there is none
  bool found = false;              ///< whether there is an exercise.cpp at all
  std::string answer;              ///< its text
  std::vector<std::string> notes;  ///< what was wrong with it: too large, edited tests
  double late_days = 0;            ///< kept apart from the points
};

}  // namespace pipeline
