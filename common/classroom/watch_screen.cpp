#include "classroom/watch_screen.hpp"

#include <algorithm>
#include <sstream>

namespace pipeline {
namespace {

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The first lines of a text, and below them how many are left out.
std::string cut(const std::string& text, std::size_t rows, const Unit& exercise,
                const Look& look) {
  const std::size_t lines = count_lines(text);
  if (lines <= rows) return text;
  const auto rest = [&](std::size_t shown) {
    return wrap("... " + std::to_string(lines - shown) +
                    " more lines: ./workbook check " + exercise.number,
                0, 0, look.width);
  };
  const std::size_t shown = rows - std::min(rows, count_lines(rest(0)));
  std::size_t end = 0;
  for (std::size_t line = 0; line < shown; ++line) end = text.find('\n', end) + 1;
  return text.substr(0, end) + rest(shown);
}

/// Items side by side, in as many lines as they take; none is broken.
std::string in_lines(const std::vector<std::string>& items, const Look& look) {
  std::string text;
  std::size_t taken = 0;
  for (const std::string& item : items) {
    const std::size_t width = columns(item);
    if (taken > 0 && taken + 3 + width > look.width) {
      text += "\n";
      taken = 0;
    }
    text += (taken > 0 ? "   " : "") + item;
    taken += (taken > 0 ? 3 : 0) + width;
  }
  return text + "\n";
}

std::string head(const WatchScene& scene, const Look& look) {
  const std::string title = "Exercise " + scene.exercise.title();
  const std::string bar = progress_bar(scene.solved, scene.of, look.width);
  const std::size_t taken = columns(title) + columns(bar);
  const bool beside = taken + 2 <= look.width;
  const std::string file = "exercises/" + scene.exercise.folder() + "/exercise.cpp";
  return tinted(title, Tint::Strong, look) +
         (beside ? std::string(look.width - taken, ' ') : std::string("\n")) + bar +
         "\n" + (columns(file) <= look.width ? file + "\n" : std::string()) + "\n";
}

std::string solved_text(const WatchScene& scene, const Look& look) {
  std::string text = tinted("Solved!", Tint::Good, look) + "\n\n" +
                     wrap("Why it is so: ./workbook solution " + scene.exercise.number,
                          0, 0, look.width);
  if (scene.next) {
    return text + wrap("Go on with " + scene.next->title() +
                           (scene.keys ? ": press n" : ": ./workbook watch"),
                       0, 0, look.width);
  }
  return text + wrap(
                    "Every exercise is solved. Try other sizes: ./workbook run 13 "
                    "-p 4 -m 16",
                    0, 0, look.width);
}

std::string middle(const WatchScene& scene, const Look& look) {
  if (!scene.problem.empty()) return wrap(scene.problem, 0, 0, look.width);
  if (!scene.attempt) return "Checking your answer ...\n";
  std::string text;
  if (scene.attempt->end == Attempt::End::Tested) {
    text = wrap(score_of(*scene.attempt), 0, 0, look.width) + "\n";
  }
  return text + (scene.attempt->solved()
                     ? solved_text(scene, look)
                     : first_to_mend(scene.exercise, *scene.attempt, look));
}

std::string foot(const WatchScene& scene, const Look& look) {
  std::string text;
  if (!scene.note.empty()) text += "\n" + wrap(scene.note, 0, 0, look.width);
  if (!scene.keys) return text;
  const std::string left = std::to_string(scene.hints_left);
  const bool all_shown = scene.hints_left == 0;
  return text + "\n" +
         in_lines({"h hint" + (all_shown ? std::string() : " (" + left + " left)"),
                   "n next", "l list", "c check again", "q quit"},
                  look);
}

}  // namespace

std::string progress_bar(std::size_t solved, std::size_t of, std::size_t width) {
  constexpr std::size_t kCells = 20;
  std::string words = std::to_string(solved) + " of " + std::to_string(of) + " solved";
  if (kCells + 3 + words.size() > width) return words;
  const std::size_t filled = of == 0 ? 0 : kCells * solved / of;
  return "[" + std::string(filled, '#') + std::string(kCells - filled, '-') + "] " +
         words;
}

std::string draw_watch(const WatchScene& scene, const Look& look, std::size_t rows) {
  const std::string above = head(scene, look);
  const std::string below = foot(scene, look);
  const bool with_hint = !scene.hint.empty();
  const std::string hint =
      with_hint ? "\n" + wrap(scene.hint, 0, 0, look.width) : std::string();
  const std::size_t taken = count_lines(above) + count_lines(hint) + count_lines(below);
  const std::size_t room = rows > taken + 1 ? rows - taken : 1;
  return above + cut(middle(scene, look), room, scene.exercise, look) + hint + below;
}

std::string draw_list(const Standings& standings, std::size_t marked, const Look& look,
                      std::size_t rows) {
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < standings.all.size(); ++i) {
    const Standing& standing = standings.all[i];
    cells.push_back({i == marked ? ">" : " ", standing.exercise.title(),
                     std::string(to_text(standing.state))});
  }
  std::vector<std::string> lines;
  std::istringstream table(format_table(cells));
  for (std::string line; std::getline(table, line);) {
    lines.push_back(line.substr(0, look.width));
  }
  const std::string above =
      progress_bar(standings.solved(), standings.all.size(), look.width);
  const std::string below =
      "\n" + in_lines({"up, down move", "Enter goes there", "l back", "q quit"}, look);
  const std::size_t taken = 2 + count_lines(below);
  const std::size_t room = std::max<std::size_t>(rows > taken ? rows - taken : 1, 1);
  const std::size_t shown = std::min(room, lines.size());
  const std::size_t first =
      std::min(marked < room / 2 ? 0 : marked - room / 2, lines.size() - shown);
  std::string text = above + "\n\n";
  for (std::size_t i = first; i < first + shown; ++i) {
    const bool solved = standings.all[i].state == ExerciseState::Solved;
    text += i == marked ? tinted(lines[i], Tint::Strong, look)
            : solved    ? tinted(lines[i], Tint::Good, look)
                        : lines[i];
    text += "\n";
  }
  return text + below;
}

}  // namespace pipeline
