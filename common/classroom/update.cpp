#include "classroom/update.hpp"

#include <algorithm>
#include <system_error>

#include "classroom/files.hpp"
#include "classroom/merge.hpp"
#include "classroom/progress.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// All that an update looks at. An empty text: there is no such file.
struct Sides {
  std::string file;  ///< the student's, as it stands
  std::string old_starter;
  std::string new_starter;
  std::string tried;  ///< what `check` saw last

  /// The release was unpacked over what the student had begun.
  bool overwritten() const {
    return file == new_starter && !tried.empty() && tried != old_starter &&
           tried != new_starter;
  }
  bool due() const {
    return !old_starter.empty() && old_starter != new_starter &&
           (file != new_starter || overwritten());
  }
};

std::string text_or_nothing(const fs::path& path) {
  const auto text = read_file(path);
  return text ? *text : "";
}

Expected<Sides> read_sides(const Workspace& at, const Unit& exercise) {
  const auto file = read_answer(at, exercise);
  if (!file) return tl::unexpected(file.error());
  const auto starter = starter_of(at, exercise);
  if (!starter) return tl::unexpected(starter.error());
  return Sides{*file, text_or_nothing(begun_from_path(at, exercise)), *starter,
               text_or_nothing(tried_path(at, exercise))};
}

/// Where the new starter is put when no program can merge it.
fs::path beside_path(const Workspace& at, const Unit& exercise) {
  return answer_path(at, exercise).parent_path() / "new_starter.txt";
}

/// What a run that was ended had merged already: the result, until it is in place.
fs::path pending_path(const Workspace& at, const Unit& exercise) {
  return at.state() / "update" / (exercise.folder() + ".cpp");
}

/// The file in the place of the student's, and what is known of it.
Expected<void> put_in_place(const Workspace& at, const Unit& exercise,
                            const Sides& sides, const std::string& text) {
  const fs::path pending = pending_path(at, exercise);
  return keep_file(pending, text)
      .and_then([&] { return keep_file(answer_path(at, exercise), text); })
      .and_then([&] { return keep_file(tried_path(at, exercise), text); })
      .and_then(
          [&] { return keep_file(begun_from_path(at, exercise), sides.new_starter); })
      .map([&] {
        std::error_code error;
        fs::remove(pending, error);
        fs::remove(beside_path(at, exercise), error);
      });
}

/// Keeps what the student wrote: the file, and what was tried last where the file is
/// not that any more.
Expected<fs::path> keep_texts(const Workspace& at, const Unit& exercise,
                              const Sides& sides, const std::string& mine) {
  auto kept = back_up(at, exercise, mine);
  if (!kept) return kept;
  const auto is_known = [&](const std::string& text) {
    return text.empty() || text == mine || text == sides.old_starter ||
           text == sides.new_starter;
  };
  if (!is_known(sides.tried)) {
    auto also = back_up(at, exercise, sides.tried);
    if (!also) return also;
  }
  return kept->lexically_relative(at.root);
}

Update outcome(const Unit& exercise, Update::Kind kind) {
  Update update;
  update.exercise = exercise;
  update.kind = kind;
  return update;
}

Update failed(const Unit& exercise, const Error& error) {
  Update update = outcome(exercise, Update::Kind::Failed);
  update.error = error;
  return update;
}

/// No program to merge: the student's file stays, the new starter goes beside it.
Update put_beside(const Workspace& at, const Unit& exercise, const Sides& sides) {
  Update update = outcome(exercise, Update::Kind::Beside);
  const fs::path beside = beside_path(at, exercise);
  const auto written = keep_file(beside, sides.new_starter);
  if (!written) return failed(exercise, written.error());
  update.kept = beside.lexically_relative(at.root);
  return update;
}

Update merge_into(const Workspace& at, const Unit& exercise, const Sides& sides) {
  Update update = outcome(exercise, Update::Kind::Merged);
  update.restored = sides.overwritten();
  const std::string& mine = update.restored ? sides.tried : sides.file;
  update.lines = conflict_lines(mine);
  if (!update.lines.empty()) {
    update.kind = Update::Kind::Unsettled;
    return update;
  }
  const auto kept = keep_texts(at, exercise, sides, mine);
  if (!kept) return failed(exercise, kept.error());
  update.kept = *kept;
  const auto merged = merge({sides.old_starter, mine, sides.new_starter}, at.state());
  if (!merged) {
    return merged.error().kind == ErrorKind::Absent ? put_beside(at, exercise, sides)
                                                    : failed(exercise, merged.error());
  }
  update.lines = merged->conflicts;
  if (!update.lines.empty()) update.kind = Update::Kind::Conflicts;
  const auto placed = put_in_place(at, exercise, sides, merged->text);
  return placed ? update : failed(exercise, placed.error());
}

/// Takes up what a run that was ended had begun: its result is in place already, but
/// not yet all that is known of it.
Update finish(const Workspace& at, const Unit& exercise, const Sides& sides) {
  const auto placed = put_in_place(at, exercise, sides, sides.file);
  if (!placed) return failed(exercise, placed.error());
  Update update = outcome(exercise, Update::Kind::Merged);
  update.lines = conflict_lines(sides.file);
  if (!update.lines.empty()) update.kind = Update::Kind::Conflicts;
  return update;
}

}  // namespace

bool update_is_due(const Workspace& at, const Unit& exercise) {
  const auto sides = read_sides(at, exercise);
  return sides && sides->due();
}

bool update_is_due(const Workspace& at) {
  std::error_code error;
  if (!fs::exists(at.state() / "starter", error)) return false;
  const auto all = list_units(at.root, "exercises");
  return std::any_of(all.begin(), all.end(),
                     [&](const Unit& exercise) { return update_is_due(at, exercise); });
}

Update update_exercise(const Workspace& at, const Unit& exercise) {
  const auto sides = read_sides(at, exercise);
  if (!sides) return failed(exercise, sides.error());
  if (!sides->due()) return outcome(exercise, Update::Kind::Current);
  const auto pending = read_file(pending_path(at, exercise));
  if (pending && *pending == sides->file) return finish(at, exercise, *sides);
  if (sides->file == sides->old_starter) {
    const auto placed = put_in_place(at, exercise, *sides, sides->new_starter);
    if (!placed) return failed(exercise, placed.error());
    return outcome(exercise, Update::Kind::Fresh);
  }
  return merge_into(at, exercise, *sides);
}

Expected<void> remember_starters(const Workspace& at) {
  for (const Unit& exercise : list_units(at.root, "exercises")) {
    const auto sides = read_sides(at, exercise);
    if (!sides || sides->file != sides->new_starter || sides->overwritten()) continue;
    auto kept = keep_file(begun_from_path(at, exercise), sides->new_starter);
    if (!kept) return kept;
  }
  return {};
}

}  // namespace pipeline
