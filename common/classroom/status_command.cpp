// workbook status, tour, list: where am I, how to begin, and what is there.
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include "classroom/catalogue.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "classroom/progress.hpp"
#include "classroom/update.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

/// {"solved": 1, "of": 7, "next": "02", "exercises": [{"number", "name", "state"}, …]}
void print_status_json(const Standings& standings) {
  const Standing* next = standings.next();
  Json json = {{"solved", standings.solved()},
               {"of", standings.all.size()},
               {"next", next == nullptr ? Json(nullptr) : Json(next->exercise.number)},
               {"exercises", Json::array()}};
  for (const Standing& standing : standings.all) {
    json["exercises"].push_back({{"number", standing.exercise.number},
                                 {"name", standing.exercise.name},
                                 {"state", std::string(to_text(standing.state))}});
  }
  print(to_text(json));
}

std::string tour_text(const Workspace& at, std::size_t exercises) {
  const std::string chapters = std::to_string(list_units(at.root, "chapters").size());
  return wrap(
             "The Pipeline Parallelism Workbook\n\n"
             "A network too large for one device is cut into stages, and its batches "
             "into micro-batches that follow each other through them. " +
             chapters + " chapters show how, by programs that you run; " +
             std::to_string(exercises) +
             " exercises have you write it, and tests tell you what does not "
             "hold yet.\n\nA tour of two minutes:\n") +
         R"(
  1  Read chapters/01_ticks/README.md, and make the prediction that it asks for.
  2  ./workbook run 01      Six ticks and their picture: were you right?
  3  ./workbook watch       Exercise 01, judged whenever you save
                            exercises/01_ticks/exercise.cpp in your editor.
                            Write tick_count first; h gives a hint, q ends.
  4  When it says "Solved!", n goes on to the next one. Another day, watch
     begins where you stopped.
  5  ./workbook             Where you are, and what comes next.

Without watch: ./workbook check 01 judges once, ./workbook hint 01 gives a hint.
This tour again: ./workbook tour. All commands: ./workbook --help
)";
}

std::string next_text(const Workspace& at, const Unit& exercise) {
  const std::string& number = exercise.number;
  const std::string chapter = exercise.chapter();
  const auto page = find_unit(list_units(at.root, "chapters"), "chapter", chapter);
  return "Next: exercise " + exercise.title() + "\n" +
         format_table({{"  read",
                        "chapters/" + (page ? page->folder() : chapter) + "/README.md"},
                       {"", "exercises/" + exercise.folder() + "/README.md"},
                       {"  see", "./workbook run " + chapter},
                       {"  edit", "exercises/" + exercise.folder() + "/exercise.cpp"},
                       {"  check", "./workbook check " + number +
                                       ", or at every save: ./workbook watch"},
                       {"  stuck?", "./workbook hint " + number}});
}

/// What is to be said beside the results, on stderr.
void warn_of_damage(const Workspace& at) {
  const std::string damage = damage_in_words(at);
  if (!damage.empty()) std::fputs(("workbook: " + damage).c_str(), stderr);
}

}  // namespace

int status_command(const Workspace& at, bool as_json) {
  const Standings standings = read_standings(at);
  if (as_json) {
    print_status_json(standings);
    return kGood;
  }
  std::error_code error;
  if (!std::filesystem::exists(at.state(), error)) return tour_command(at);
  warn_of_damage(at);
  const Look look = look_of_stdout();
  std::string text =
      "The Pipeline Parallelism Workbook: " + std::to_string(standings.solved()) +
      " of " + std::to_string(standings.all.size()) + " exercises solved.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Standing& standing : standings.all) {
    rows.push_back(
        {" ", standing.exercise.title(), std::string(to_text(standing.state))});
  }
  text += format_table(rows) + "\n";
  if (update_is_due(at)) {
    text += tinted("There is a new release of the workbook", Tint::Strong, look) +
            ": ./workbook update takes it\ninto what you wrote, and keeps yours.\n\n";
  }
  if (const Standing* next = standings.next()) {
    text += next_text(at, next->exercise);
  } else if (!standings.all.empty()) {
    text += "All solved. Try other sizes: ./workbook run 13 -p 4 -m 16\n";
  }
  print(text + "\nAll commands: ./workbook --help\n");
  return kGood;
}

int tour_command(const Workspace& at) {
  print(tour_text(at, list_units(at.root, "exercises").size()));
  return kGood;
}

/// {"chapters": [{"number", "name", "exercise": "solved" or null, "tests": the same for
/// the exercise in which its tests are written}, …],
///  "exercises": [{"number", "name", "state", "hints": that were shown}, …],
///  "schedules": [{"name", "summary"}, …]}
int list_command(const Workspace& at, bool as_json) {
  std::map<std::string, std::string> states;
  Json json = {{"chapters", Json::array()},
               {"exercises", Json::array()},
               {"schedules", Json::array()}};
  if (!as_json) warn_of_damage(at);
  std::vector<std::vector<std::string>> exercises = {{"exercise", "state", "hints"}};
  for (const Standing& standing : read_standings(at).all) {
    const std::string state(to_text(standing.state));
    states[standing.exercise.number] = state;
    exercises.push_back(
        {standing.exercise.title(), state, std::to_string(standing.hints)});
    json["exercises"].push_back({{"number", standing.exercise.number},
                                 {"name", standing.exercise.name},
                                 {"state", state},
                                 {"hints", standing.hints}});
  }
  const auto state_of = [&](const std::string& number) {
    const auto state = states.find(number);
    return state == states.end() ? Json(nullptr) : Json(state->second);
  };
  std::vector<std::vector<std::string>> chapters = {{"chapter"}};
  for (const Unit& chapter : list_units(at.root, "chapters")) {
    chapters.push_back({chapter.title()});
    json["chapters"].push_back({{"number", chapter.number},
                                {"name", chapter.name},
                                {"exercise", state_of(chapter.number)},
                                {"tests", state_of(chapter.number + "t")}});
  }
  std::vector<std::vector<std::string>> schedules = {{"schedule", "what it is"}};
  for (const Generator& generator : generators()) {
    schedules.push_back({std::string(generator.name), std::string(generator.summary)});
    json["schedules"].push_back({{"name", std::string(generator.name)},
                                 {"summary", std::string(generator.summary)}});
  }
  print(as_json ? to_text(json)
                : format_table(chapters) + "\n" + format_table(exercises, {2}) + "\n" +
                      format_table(schedules) +
                      "\nRun a chapter: ./workbook run 01\n"
                      "Solve an exercise: ./workbook watch 01\n"
                      "Draw a schedule: ./workbook schedule 1f1b -p 4 -m 8\n");
  return kGood;
}

}  // namespace pipeline
