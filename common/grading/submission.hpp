/// \file
/// Who handed in what.
///
/// A folder of submissions holds, for each student, a folder, a zip or a single file:
///
///     student-01/exercise.cpp                         plain, at any depth
///     student-02/exercises/01_ticks/exercise.cpp      a whole checkout
///     student-03.zip, student-04.cpp
///     studentfive_LATE_12345_67890_exercise.cpp       Canvas: NAME_USER_FILE_…
///     Student Six_12345_assignsubmission_file_/       Moodle
///     submission_metadata.yml, submission_67890/      Gradescope
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/catalogue.hpp"
#include "grading/handed.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// An answer, and whose it is.
struct Submission {
  std::string id;                  ///< unique: from the roster, or the folder's name
  std::string name;                ///< to be read; the id where there is none
  bool found = false;              ///< whether there is an exercise.cpp at all
  std::string answer;              ///< its text
  std::vector<std::string> notes;  ///< what was wrong with it: too large, edited tests
  double late_days = 0;            ///< kept apart from the points
};

/// What is known of a student before the roster is looked at.
struct HandedIn {
  std::string id;                    ///< of the student
  std::string name;                  ///< to be read
  std::vector<std::string> also;     ///< other ids: an e-mail address, an entry's name
  HandedFiles files;                 ///< what was found in it
  std::optional<std::int64_t> when;  ///< as the platform says, seconds since 1970
  bool marked_late = false;          ///< by the platform
};

/// Everything in a folder of submissions.
struct HandedInFolder {
  std::vector<HandedIn> students;  ///< in the order of their ids
  std::vector<std::string> notes;  ///< on entries that are nobody's
};

/// Reads a folder of submissions. Ids are unique, and ids and names fit to be shown.
Expected<HandedInFolder> read_submissions(const std::filesystem::path& folder);

/// The one exercise that all who say for which they wrote mean: by the folder of an
/// exercise.cpp or by its first lines. Refuses where there is not exactly one.
Expected<Unit> guess_exercise(const std::vector<HandedIn>& students,
                              const std::vector<Unit>& exercises);

/// Finds the answer to one exercise among the files of a student.
class AnswerFinder {
 public:
  /// `root` is our own checkout, which has the files that nobody is to change.
  AnswerFinder(std::filesystem::path root, Unit exercise);

  /// The answer, or in the notes why there is none; files that differ from ours are
  /// noted. The student's `when` becomes the time of the answer's file where the
  /// platform did not say.
  Submission find(HandedIn& student);

 private:
  struct Candidate;
  std::optional<Candidate> candidate(const HandedFile& file) const;
  const HandedFile* choose(const HandedFiles& files, std::vector<std::string>& notes);
  void note_edited(const HandedFiles& files, const HandedFile* answer,
                   std::vector<std::string>& notes);
  /// Our file that a path of a student's stands for, from the root; or empty.
  std::string ours(std::string_view path, const HandedFile* answer) const;
  bool differs(const HandedFile& file, const std::string& ours);

  std::filesystem::path root_;
  Unit exercise_;
  std::vector<std::string> others_;  ///< folders of other exercises
  std::map<std::string, std::optional<std::string>> texts_;  ///< of our files
};

}  // namespace pipeline
