/// \file
/// Gradescope's autograder of one exercise, by
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/: a zip that is
/// unpacked into /autograder/source, where `setup.sh` makes the image and
/// `run_autograder` grades /autograder/submission.
#pragma once

#include <filesystem>
#include <string>

#include "classroom/catalogue.hpp"
#include "classroom/workspace.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// The bytes of the zip: the workbook's sources with this exercise alone, its starter
/// in the place of whatever stands in exercise.cpp, `hidden`/NN_name/*.cpp where
/// `hidden` is not empty, and the seed. The same sources give the same bytes.
Expected<std::string> make_autograder(const Workspace& at, const Unit& exercise,
                                      const std::filesystem::path& hidden,
                                      const std::string& seed);

}  // namespace pipeline
