/// \file
/// What there is to read and to solve, found in the tree.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// A folder NN_name of chapters/ or exercises/. In exercises/NNt_name the student
/// writes tests: those of exercise NN. Those of exercises/NNh_name take schedules that
/// were built by hand: the levels of chapter NN (lab/levels.hpp).
struct Unit {
  std::string number;  ///< "09", "10t", "10h"
  std::string name;    ///< "forward_pipeline"

  /// "09_forward_pipeline".
  std::string folder() const { return number + "_" + name; }
  /// The number of the chapter that it belongs to: "10" for exercise "10t" as well.
  std::string chapter() const { return number.substr(0, 2); }
  /// Whether the student writes tests in it.
  bool writes_tests() const { return number.ends_with('t'); }
  /// "09 forward pipeline", as people read it.
  std::string title() const;
};

/// In the order of their numbers; `kind` is "chapters" or "exercises".
std::vector<Unit> list_units(const std::filesystem::path& root, std::string_view kind);

/// The unit that `number` means: "9" and "09" are the same. Refused, with the list of
/// those there are, when there is none.
Expected<Unit> find_unit(const std::vector<Unit>& units, std::string_view kind,
                         std::string_view number);

/// The hints of an exercise: the items of the list under `## Hints` in its README.md,
/// without their bullets.
std::vector<std::string> parse_hints(std::string_view readme);

/// What follows `// key: ` on the line, or nothing: how sources say what they are.
std::string header_value(const std::string& line, std::string_view key);

/// A named wrong answer, and how the tests must find it. Its file begins
///
///     // mistake: last micro-batch dropped
///     // fails: TicksExercise.CountsTheLastMicroBatch
///     // says: the last micro-batch enters at tick
///     // points: 6
///
/// `points` are those that it earns in all, by the tests of the other functions.
struct Mistake {
  std::string file;   ///< "last_micro_batch_dropped", without .cpp
  std::string name;   ///< what is wrong, for people
  std::string fails;  ///< the test that must find it: "Suite.Name"
  std::string says;   ///< what that test must say, among other words
  int points = 0;     ///< that are left
};

/// From its comment; refuses one that leaves something out, naming what.
Expected<Mistake> parse_mistake(std::string file, std::string_view text);

/// All of exercises/NN_name/mistakes, by file name.
Expected<std::vector<Mistake>> list_mistakes(const std::filesystem::path& exercise);

}  // namespace pipeline
