/// \file
/// One answer to one exercise: compiled in a sandbox, and run in a fresh one for each
/// test, which drives it from outside.
///
///     answer ─► compile (box) ─► worker ─┐
///                                        ├─ a socket, for each test ─► TestVerdict
///     exNN_grade --gtest_filter=TEST ────┘
///
/// Only the tests' side decides: what a worker prints, exits with or leaves behind
/// counts for nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/workspace.hpp"
#include "grading/sandbox.hpp"
#include "grading/temporary_folder.hpp"
#include "grading/verdict.hpp"

namespace pipeline {

/// What the tests of an exercise need, built, listed and copied aside, so that nothing
/// that changes in the checkout meanwhile changes a verdict.
struct Kit {
  Unit exercise;                  ///< which one
  std::filesystem::path tests;    ///< the program exNN_grade
  std::filesystem::path object;   ///< kit.o, which an answer is linked with
  std::filesystem::path headers;  ///< a folder of what an answer may include
  std::vector<TestInfo> list;     ///< every test, hidden ones last
  std::string hash;  ///< of all of the above, of the compiler and of the limits
  int workers = 1;   ///< how many a test drives, at descriptors from 3 on
  std::shared_ptr<const TemporaryFolder> folder;  ///< where it is
};

/// Builds exNN_grade and exNN_kit, with an instructor's hidden tests
/// (HIDDEN/NN_*/*.cpp, if `hidden` is not empty), gathers the headers that exercise.hpp
/// and the starter include, and lists the tests by running them once against the
/// solution. Refuses tests that the solution does not pass, and in tier own-user a
/// checkout that others may read, since an answer could then include the solution.
Expected<Kit> make_kit(const Workspace& at, const Unit& exercise,
                       const std::filesystem::path& hidden, Tier tier);

/// How an answer is judged.
struct JudgeOptions {
  Tier tier = Tier::Bubblewrap;  ///< of the sandbox
  std::string seed;              ///< of drawn inputs; empty: as at home
  int slot = 0;                  ///< which of those that judge at once: 0 to 127
  bool patient = false;  ///< the second try, alone: longer wall limits for each step
  /// What all limits of wall time are multiplied with, for machines that do much else.
  double patience = 1;
};

/// Compiles and tests the text of an exercise.cpp. At most 20 s, whatever it holds. All
/// files go into a folder of their own that is gone afterwards. When `interrupted()`,
/// whatever still runs ends at once, and the verdict is a GraderError.
Verdict judge(const Kit& kit, std::string_view answer, const JudgeOptions& options);

/// Whether to judge again, alone: some limit of wall time ran out while little of the
/// CPU was used, so that the machine may have been to blame.
bool deserves_another_try(const Verdict& verdict);

}  // namespace pipeline
