// workbook watch: the answer is judged whenever it is saved, and a key gives a hint.
#include <algorithm>
#include <functional>
#include <optional>

#include "classroom/attempt.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/file_watch.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/progress.hpp"
#include "classroom/terminal.hpp"
#include "classroom/update.hpp"
#include "classroom/watch_screen.hpp"

namespace pipeline {
namespace {

constexpr int kPause = 500;  // milliseconds between looks at the files' times
constexpr std::size_t kAskedTooOften = 10;  // each time would cost more than it gives
constexpr const char* kClear = "\033[H\033[2J";
constexpr int kControlD = 4;

std::vector<std::string> hints_of(const Workspace& at, const Unit& exercise) {
  const auto readme =
      read_file(at.root / "exercises" / exercise.folder() / "README.md");
  return readme ? parse_hints(*readme) : std::vector<std::string>();
}

std::vector<std::filesystem::path> answers(const Workspace& at,
                                           const std::vector<Unit>& exercises) {
  std::vector<std::filesystem::path> files;
  files.reserve(exercises.size());
  for (const Unit& exercise : exercises) files.push_back(answer_path(at, exercise));
  return files;
}

/// An exercise on the screen, with what is known of it.
class Watch {
 public:
  Watch(const Workspace& at, Unit exercise)
      : at_(at),
        exercises_(list_units(at.root, "exercises")),
        files_(answers(at, exercises_)),
        exercise_(std::move(exercise)) {
    scene_.note = damage_in_words(at_);
    if (update_is_due(at_)) {
      scene_.note += "There is a new release of the workbook: ./workbook update\n";
    }
  }

  int once() {
    scene_.keys = false;
    judge({});
    if (interrupted()) return kInterrupted;
    print(draw_watch(scene_, look_of_stdout(), kAnyRows));
    if (!scene_.problem.empty()) return kBadUsage;
    return scene_.attempt->solved() ? kGood : kFailed;
  }

  int run(Terminal& terminal) {
    terminal_ = &terminal;
    go_to(exercise_);
    while (!done_ && !interrupted()) {
      if (to_judge_) {
        to_judge_ = false;
        draw();
        judge([this] { return is_unwanted(); });
        to_draw_ = true;
        continue;
      }
      if (to_draw_) draw();
      terminal.wait(files_.descriptor(), kPause);
      react();
    }
    show_status("");
    if (interrupted() || closed_) return kInterrupted;
    print("\nYou stopped at exercise " + exercise_.title() +
          ".\nGo on there: ./workbook watch\n");
    return kGood;
  }

 private:
  static constexpr std::size_t kAnyRows = 1000000;

  /// Builds and tests the answer; what came of it is in the scene and remembered.
  void judge(const std::function<bool()>& unwanted) {
    const Unit exercise = exercise_;  // a key may change it meanwhile
    const auto attempt = attempt_exercise(at_, exercise, unwanted);
    if (attempt && attempt->end == Attempt::End::Stopped) return;
    scene_.problem.clear();
    scene_.attempt.reset();
    if (!attempt) {
      scene_.problem = attempt.error().what + "\n" + attempt.error().remedy;
    } else {
      scene_.attempt = *attempt;
      if (attempt->solved()) scene_.hint.clear();
      note(remember(at_, exercise, *attempt));
    }
    count();
  }

  void note(const Expected<void>& done) {
    scene_.note = done ? "" : done.error().what + "\n" + done.error().remedy;
  }

  /// What the head and the keys need to know.
  void count() {
    standings_ = read_standings(at_);
    scene_.exercise = exercise_;
    scene_.solved = standings_.solved();
    scene_.of = standings_.all.size();
    const Standing* next = standings_.after(exercise_.number);
    scene_.next = next == nullptr ? std::nullopt : std::optional(next->exercise);
    const std::size_t hints = hints_of(at_, exercise_).size();
    scene_.hints_left = hints - std::min(hints, hints_shown(at_, exercise_));
  }

  void draw() {
    to_draw_ = false;
    const Look look = look_of_stdout();
    const std::size_t rows = terminal_->rows() - 1;  // the last one is the status'
    const std::string text = list_shown_ ? draw_list(standings_, marked_, look, rows)
                                         : draw_watch(scene_, look, rows);
    print((moves_cursor() ? kClear : "\n") + text);
  }

  void go_to(const Unit& exercise) {
    exercise_ = exercise;
    list_shown_ = false;
    scene_.attempt.reset();
    scene_.problem.clear();
    scene_.hint.clear();
    const auto remembered = remember_current(at_, exercise_);
    if (!remembered) note(remembered);
    count();
    to_judge_ = true;
  }

  /// Keys, saved files, a new size. Also while an answer is being judged.
  void react() {
    if (terminal_->was_disturbed()) to_draw_ = true;
    for (int key = terminal_->read_key(); key != kNoKey && !done_;
         key = terminal_->read_key()) {
      list_shown_ ? on_key_in_list(key) : on_key(key);
    }
    const std::vector<std::size_t> changed = files_.changed();
    if (changed.empty()) return;
    // The one on the screen, if it is among those that were saved.
    for (const std::size_t i : changed) {
      if (exercises_[i].number == exercise_.number) {
        to_judge_ = true;
        return;
      }
    }
    go_to(exercises_[changed[0]]);
  }

  /// Asked while an answer is judged: whether to stop, because it was saved once more,
  /// or because of a key.
  bool is_unwanted() {
    if (++asked_ % kAskedTooOften != 0) return done_ || to_judge_;
    react();
    if (to_draw_ && !done_ && !to_judge_) draw();
    return done_ || to_judge_;
  }

  void on_key(int key) {
    switch (key) {
      case 'h':
        show_hint();
        break;
      case 'n':
        if (scene_.next) go_to(*scene_.next);
        break;
      case 'l':
        show_list();
        break;
      case 'c':
      case kEnter:
        to_judge_ = true;
        break;
      default:
        end_if_asked(key);
    }
  }

  void on_key_in_list(int key) {
    to_draw_ = true;
    if (key == 'l' || key == kEscape) {
      list_shown_ = false;
    } else if (key == kUp || key == 'k') {
      marked_ -= marked_ > 0 ? 1 : 0;
    } else if (key == kDown || key == 'j') {
      marked_ += marked_ + 1 < standings_.all.size() ? 1 : 0;
    } else if (key == kEnter && marked_ < standings_.all.size()) {
      go_to(Unit(standings_.all[marked_].exercise));
    } else {
      end_if_asked(key);
    }
  }

  void end_if_asked(int key) {
    closed_ = key == kClosed;
    done_ = closed_ || key == 'q' || key == kControlD;
  }

  void show_list() {
    count();
    list_shown_ = true;
    to_draw_ = true;
    marked_ = 0;
    for (std::size_t i = 0; i < standings_.all.size(); ++i) {
      if (standings_.all[i].exercise.number == exercise_.number) marked_ = i;
    }
  }

  /// The next hint; when all were shown, all of them from the first on.
  void show_hint() {
    const std::vector<std::string> hints = hints_of(at_, exercise_);
    if (hints.empty()) return;
    std::size_t which = hints_shown(at_, exercise_);
    if (which < hints.size()) {
      note(remember_hints(at_, exercise_, which + 1));
      repeated_ = 0;
    } else {
      which = repeated_++ % hints.size();
    }
    scene_.hint = "Hint " + std::to_string(which + 1) + " of " +
                  std::to_string(hints.size()) + "\n\n  " + hints[which];
    count();
    to_draw_ = true;
  }

  const Workspace& at_;
  const std::vector<Unit> exercises_;
  FileWatch files_;
  Unit exercise_;
  WatchScene scene_;
  Standings standings_;
  Terminal* terminal_ = nullptr;
  std::size_t marked_ = 0;    // in the list
  std::size_t repeated_ = 0;  // hints shown a second time
  std::size_t asked_ = 0;
  bool list_shown_ = false;
  bool to_judge_ = false;
  bool to_draw_ = false;
  bool done_ = false;
  bool closed_ = false;
};

}  // namespace

int watch_command(const Workspace& at, const std::string& number, bool once) {
  const auto exercise = choose_exercise(at, number);
  if (!exercise) return complain(exercise.error());
  if (once) return Watch(at, *exercise).once();
  const auto terminal = Terminal::open();
  if (!terminal) return complain(terminal.error());
  return Watch(at, *exercise).run(**terminal);
}

}  // namespace pipeline
