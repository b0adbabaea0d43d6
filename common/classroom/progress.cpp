#include "classroom/progress.hpp"

#include <chrono>
#include <ctime>
#include <system_error>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/starter.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

fs::path solved_path(const Workspace& at, const Unit& exercise) {
  return at.state() / "solved" / (exercise.folder() + ".cpp");
}

fs::path hints_path(const Workspace& at) { return at.state() / "hints.json"; }

Expected<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return refuse("cannot make " + folder.string() + ": " + error.message(),
                "Your progress is kept there: make the folder writable.");
}

Expected<std::string> starter_of(const Workspace& at, const Unit& exercise) {
  return read_file(solution_path(at, exercise)).and_then([](const std::string& text) {
    return derive_starter(text);
  });
}

/// What was shown so far; a file that is gone or damaged counts as none.
Json read_hints(const Workspace& at) {
  const auto text = read_file(hints_path(at));
  if (!text) return Json::object();
  Json hints = parse_json(*text);
  return hints.is_object() ? hints : Json::object();
}

std::string time_stamp() {
  const std::time_t now =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local = {};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

/// A name that is not taken yet.
fs::path backup_path(const Workspace& at, const Unit& exercise) {
  const std::string name = exercise.folder() + "-" + time_stamp();
  fs::path path = at.state() / "backup" / (name + ".cpp");
  std::error_code error;
  for (int copy = 2; fs::exists(path, error); ++copy) {
    path = at.state() / "backup" / (name + "-" + std::to_string(copy) + ".cpp");
  }
  return path;
}

}  // namespace

std::string_view to_text(ExerciseState state) {
  switch (state) {
    case ExerciseState::NotStarted:
      return "not started";
    case ExerciseState::InProgress:
      return "in progress";
    case ExerciseState::Solved:
      return "solved";
  }
  return "";
}

fs::path answer_path(const Workspace& at, const Unit& exercise) {
  return at.root / "exercises" / exercise.folder() / "exercise.cpp";
}

fs::path solution_path(const Workspace& at, const Unit& exercise) {
  return at.root / "solutions" / exercise.folder() / "exercise.cpp";
}

ExerciseState exercise_state(const Workspace& at, const Unit& exercise) {
  const auto answer = read_file(answer_path(at, exercise));
  const auto starter = starter_of(at, exercise);
  if (!answer || (starter && *answer == *starter)) return ExerciseState::NotStarted;
  const auto solved = read_file(solved_path(at, exercise));
  return solved && *solved == *answer ? ExerciseState::Solved
                                      : ExerciseState::InProgress;
}

Expected<void> remember_solved(const Workspace& at, const Unit& exercise) {
  const auto answer = read_file(answer_path(at, exercise));
  if (!answer) return tl::unexpected(answer.error());
  const fs::path path = solved_path(at, exercise);
  return make_folder(path.parent_path()).and_then([&] {
    return write_file(path, *answer);
  });
}

std::size_t hints_shown(const Workspace& at, const Unit& exercise) {
  const Json hints = read_hints(at);
  const auto shown = hints.find(exercise.number);
  return shown != hints.end() && shown->is_number_unsigned() ? shown->get<std::size_t>()
                                                             : 0;
}

Expected<void> remember_hints(const Workspace& at, const Unit& exercise,
                              std::size_t shown) {
  Json hints = read_hints(at);
  hints[exercise.number] = shown;
  return make_folder(at.state()).and_then([&] {
    return write_file(hints_path(at), to_text(hints));
  });
}

Expected<fs::path> reset_exercise(const Workspace& at, const Unit& exercise) {
  const auto starter = starter_of(at, exercise);
  if (!starter) return tl::unexpected(starter.error());
  const auto answer = read_file(answer_path(at, exercise));
  fs::path kept;
  if (answer && *answer != *starter) {
    kept = backup_path(at, exercise);
    const auto copied = make_folder(kept.parent_path()).and_then([&] {
      return write_file(kept, *answer);
    });
    if (!copied) return tl::unexpected(copied.error());
  }
  const auto written = write_file(answer_path(at, exercise), *starter);
  if (!written) return tl::unexpected(written.error());
  return kept;
}

}  // namespace pipeline
