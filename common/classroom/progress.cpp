#include "classroom/progress.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <system_error>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/starter.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

fs::path kept_path(const Workspace& at, const char* kind, const Unit& exercise) {
  return at.state() / kind / (exercise.folder() + ".cpp");
}

fs::path solved_path(const Workspace& at, const Unit& exercise) {
  return kept_path(at, "solved", exercise);
}

fs::path progress_path(const Workspace& at) { return at.state() / "progress.txt"; }
/// Of an older release: {"01": 2}, hints that were shown.
fs::path old_hints_path(const Workspace& at) { return at.state() / "hints.json"; }

Expected<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return refuse("cannot make " + folder.string() + ": " + error.message(),
                "Your progress is kept there: make the folder writable.");
}

/// `write_file`, with what a student can do where it fails.
Expected<void> put(const fs::path& path, const std::string& text) {
  const auto written = write_file(path, text);
  if (written) return {};
  return refuse(written.error().what, "Make room there, and make it writable.");
}

/// What releases without a progress.txt kept: hints in a file of their own, and the
/// answers that passed.
ProgressRecord read_old_progress(const Workspace& at) {
  ProgressRecord progress;
  const auto text = read_file(old_hints_path(at));
  const Json hints = text ? parse_json(*text) : Json::object();
  for (const Unit& exercise : list_units(at.root, "exercises")) {
    ExerciseRecord record;
    std::error_code error;
    record.solved = fs::exists(solved_path(at, exercise), error);
    if (hints.is_object() && hints.contains(exercise.number) &&
        hints[exercise.number].is_number_unsigned()) {
      record.hints = hints[exercise.number].get<std::size_t>();
    }
    if (record != ExerciseRecord{}) progress.exercises[exercise.number] = record;
  }
  return progress;
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

/// A name in .workbook/backup that is not taken yet.
fs::path backup_path(const Workspace& at, const std::string& stem,
                     const std::string& extension) {
  const fs::path begin = at.state() / "backup" / (stem + "-" + time_stamp());
  fs::path path = begin;
  path += extension;
  std::error_code error;
  for (int copy = 2; fs::exists(path, error); ++copy) {
    path = begin;
    path += "-" + std::to_string(copy);
    path += extension;
  }
  return path;
}

/// While it lives no other command changes the progress. Where files cannot be locked,
/// the worst is a hint that is counted once for two.
class Lock {
 public:
  explicit Lock(const fs::path& folder)
      : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ >= 0) flock(folder_, LOCK_EX);
  }
  ~Lock() {
    if (folder_ >= 0) close(folder_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int folder_;
};

/// Reads, changes and writes progress.txt. A damaged file is kept as it was before it
/// is replaced; the file of an older release goes to the backups.
Expected<void> change_progress(const Workspace& at,
                               const std::function<void(ProgressRecord&)>& change) {
  auto made = make_folder(at.state());
  if (!made) return made;
  const Lock lock(at.state());
  const auto before = read_file(progress_path(at));
  std::error_code error;
  if (!before && fs::exists(progress_path(at), error)) {  // not to be replaced
    return tl::unexpected(before.error());
  }
  ProgressRecord progress = before ? parse_progress(*before) : read_old_progress(at);
  change(progress);
  const std::string text = to_text(progress);
  if (before && *before == text) return {};
  if (before && !progress.damaged.empty()) {
    auto kept = keep_file(backup_path(at, "progress", ".txt"), *before);
    if (!kept) return kept;
  }
  auto written = put(progress_path(at), text);
  if (!written) return written;
  if (fs::exists(old_hints_path(at), error)) {
    fs::create_directories(at.state() / "backup", error);
    fs::rename(old_hints_path(at), backup_path(at, "hints", ".json"), error);
  }
  return {};
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

fs::path tried_path(const Workspace& at, const Unit& exercise) {
  return kept_path(at, "tried", exercise);
}

fs::path begun_from_path(const Workspace& at, const Unit& exercise) {
  return kept_path(at, "starter", exercise);
}

Expected<std::string> read_answer(const Workspace& at, const Unit& exercise) {
  const fs::path path = answer_path(at, exercise);
  const std::string name = "exercises/" + exercise.folder() + "/exercise.cpp";
  const std::string reset = "./workbook reset " + exercise.number;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return refuse(name + " is gone", "Put it back: " + reset);
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return refuse(
        name + " is not a file" + (fs::is_directory(status) ? ", but a folder" : ""),
        "Move it away, then: " + reset);
  }
  auto text = read_file(path);
  if (text) return text;
  return refuse("cannot read " + name, "Make it readable: chmod u+r " + name);
}

Expected<std::string> starter_of(const Workspace& at, const Unit& exercise) {
  return read_file(solution_path(at, exercise)).and_then([](const std::string& text) {
    return derive_starter(text);
  });
}

ExerciseState exercise_state(const Workspace& at, const Unit& exercise) {
  const auto answer = read_file(answer_path(at, exercise));
  const auto starter = starter_of(at, exercise);
  if (!answer || (starter && *answer == *starter)) return ExerciseState::NotStarted;
  const auto solved = read_file(solved_path(at, exercise));
  return solved && *solved == *answer ? ExerciseState::Solved
                                      : ExerciseState::InProgress;
}

std::size_t Standings::solved() const {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const Standing& standing) {
        return standing.state == ExerciseState::Solved;
      }));
}

const Standing* Standings::next() const {
  const Standing* begun = nullptr;
  const Standing* open = nullptr;
  for (const Standing& standing : all) {
    if (standing.state == ExerciseState::Solved) continue;
    if (standing.exercise.number == current) return &standing;
    if (open == nullptr) open = &standing;
    if (begun == nullptr && standing.state == ExerciseState::InProgress) {
      begun = &standing;
    }
  }
  return begun != nullptr ? begun : open;
}

const Standing* Standings::after(std::string_view number) const {
  const Standing* front = nullptr;
  bool behind = false;
  for (const Standing& standing : all) {
    if (standing.exercise.number == number) {
      behind = true;
    } else if (standing.state != ExerciseState::Solved) {
      if (behind) return &standing;
      if (front == nullptr) front = &standing;
    }
  }
  return front;
}

Standings read_standings(const Workspace& at) {
  const ProgressRecord progress = read_progress(at);
  Standings standings;
  standings.current = progress.current;
  for (const Unit& exercise : list_units(at.root, "exercises")) {
    const auto record = progress.exercises.find(exercise.number);
    standings.all.push_back(
        {exercise, exercise_state(at, exercise),
         record == progress.exercises.end() ? 0 : record->second.hints});
  }
  return standings;
}

Expected<Unit> choose_exercise(const Workspace& at, const std::string& number) {
  if (!number.empty()) {
    return find_unit(list_units(at.root, "exercises"), "exercise", number);
  }
  const Standings standings = read_standings(at);
  if (const Standing* next = standings.next()) return next->exercise;
  if (standings.all.empty()) {
    return refuse("there is no exercise here", "See ./workbook list.");
  }
  return refuse("every exercise is solved", "Name one to check it again, such as 01.");
}

ProgressRecord read_progress(const Workspace& at) {
  const auto text = read_file(progress_path(at));
  return text ? parse_progress(*text) : read_old_progress(at);
}

std::string damage_in_words(const Workspace& at) {
  const auto damaged = read_progress(at).damaged;
  if (damaged.empty()) return "";
  constexpr std::size_t kShown = 30;
  std::string line = harmless(damaged[0].text.substr(0, kShown));
  if (damaged[0].text.size() > kShown) line += "...";
  const std::size_t more = damaged.size() - 1;
  return ".workbook/progress.txt, line " + std::to_string(damaged[0].number) +
         ", says nothing that counts: '" + line + "'" +
         (more == 0   ? std::string()
          : more == 1 ? " (and 1 more)"
                      : " (and " + std::to_string(more) + " more)") +
         "\nMend it, or leave it: the rest counts, and the file as it is goes to "
         ".workbook/backup.\n";
}

Expected<void> remember_attempt(const Workspace& at, const Unit& exercise,
                                const std::string& answer, bool solved) {
  // The starter that it was begun from stays until `update` has merged the new one;
  // and until then so does what was last tried with it.
  const auto starter = starter_of(at, exercise);
  const auto begun_from = read_file(begun_from_path(at, exercise));
  Expected<void> done;
  if (starter && !begun_from) done = keep_file(begun_from_path(at, exercise), *starter);
  if (done && (!begun_from || (starter && *begun_from == *starter))) {
    done = keep_file(tried_path(at, exercise), answer);
  }
  if (done && solved) done = keep_file(solved_path(at, exercise), answer);
  if (!done) return done;
  return change_progress(at, [&](ProgressRecord& progress) {
    ExerciseRecord& record = progress.exercises[exercise.number];
    record.solved = record.solved || solved;
    progress.current = exercise.number;
  });
}

Expected<void> remember_current(const Workspace& at, const Unit& exercise) {
  return change_progress(at, [&](ProgressRecord& progress) {
    progress.exercises[exercise.number];  // a line for it
    progress.current = exercise.number;
  });
}

std::size_t hints_shown(const Workspace& at, const Unit& exercise) {
  const ProgressRecord progress = read_progress(at);
  const auto record = progress.exercises.find(exercise.number);
  return record == progress.exercises.end() ? 0 : record->second.hints;
}

Expected<void> remember_hints(const Workspace& at, const Unit& exercise,
                              std::size_t shown) {
  return change_progress(at, [&](ProgressRecord& progress) {
    progress.exercises[exercise.number].hints = shown;
  });
}

bool has_passed(const Workspace& at, const Unit& exercise) {
  if (exercise_state(at, exercise) == ExerciseState::Solved) return true;
  const ProgressRecord progress = read_progress(at);
  const auto record = progress.exercises.find(exercise.number);
  return record != progress.exercises.end() && record->second.solved;
}

Expected<fs::path> back_up(const Workspace& at, const Unit& exercise,
                           const std::string& text) {
  const fs::path path = backup_path(at, exercise.folder(), ".cpp");
  const auto kept = keep_file(path, text);
  if (!kept) return tl::unexpected(kept.error());
  return path;
}

Expected<void> keep_file(const fs::path& path, const std::string& text) {
  const auto before = read_file(path);
  if (before && *before == text) return {};
  return make_folder(path.parent_path()).and_then([&] { return put(path, text); });
}

Expected<fs::path> reset_exercise(const Workspace& at, const Unit& exercise) {
  const auto starter = starter_of(at, exercise);
  if (!starter) return tl::unexpected(starter.error());
  const fs::path path = answer_path(at, exercise);
  std::error_code error;
  fs::path kept;
  if (fs::exists(path, error)) {
    const auto answer = read_answer(at, exercise);
    if (!answer) return tl::unexpected(answer.error());
    if (*answer != *starter) {
      auto copied = back_up(at, exercise, *answer);
      if (!copied) return copied;
      kept = *copied;
    }
  }
  const auto written = put(path, *starter);
  if (!written) return tl::unexpected(written.error());
  // What is kept of an answer is that of the starter now, where anything was kept.
  for (const fs::path& file :
       {tried_path(at, exercise), begun_from_path(at, exercise)}) {
    if (!fs::exists(file, error)) continue;
    const auto follows = keep_file(file, *starter);
    if (!follows) return tl::unexpected(follows.error());
  }
  return kept;
}

}  // namespace pipeline
