// workbook status, workbook list: where am I, and what is there.
#include <map>

#include "classroom/catalogue.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "classroom/progress.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

struct Standing {
  Unit exercise;
  ExerciseState state;
};

std::vector<Standing> standings(const Workspace& at) {
  std::vector<Standing> result;
  for (const Unit& exercise : list_units(at.root, "exercises")) {
    result.push_back({exercise, exercise_state(at, exercise)});
  }
  return result;
}

/// What to do next: go on with what was begun, else begin the first that is open.
const Standing* next_of(const std::vector<Standing>& all) {
  for (const ExerciseState wanted :
       {ExerciseState::InProgress, ExerciseState::NotStarted}) {
    for (const Standing& standing : all) {
      if (standing.state == wanted) return &standing;
    }
  }
  return nullptr;
}

std::size_t count_solved(const std::vector<Standing>& all) {
  std::size_t solved = 0;
  for (const Standing& standing : all)
    solved += standing.state == ExerciseState::Solved;
  return solved;
}

/// {"solved": 1, "of": 7, "next": "02", "exercises": [{"number", "name", "state"}, …]}
void print_status_json(const std::vector<Standing>& all) {
  const Standing* next = next_of(all);
  Json json = {{"solved", count_solved(all)},
               {"of", all.size()},
               {"next", next == nullptr ? Json(nullptr) : Json(next->exercise.number)},
               {"exercises", Json::array()}};
  for (const Standing& standing : all) {
    json["exercises"].push_back({{"number", standing.exercise.number},
                                 {"name", standing.exercise.name},
                                 {"state", std::string(to_text(standing.state))}});
  }
  print(to_text(json));
}

}  // namespace

int status_command(const Workspace& at, bool as_json) {
  const std::vector<Standing> all = standings(at);
  if (as_json) {
    print_status_json(all);
    return kGood;
  }
  std::string text =
      "The Pipeline Parallelism Workbook: " + std::to_string(count_solved(all)) +
      " of " + std::to_string(all.size()) + " exercises solved.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Standing& standing : all) {
    rows.push_back(
        {" ", standing.exercise.title(), std::string(to_text(standing.state))});
  }
  text += format_table(rows) + "\n";
  if (const Standing* next = next_of(all)) {
    const std::string& number = next->exercise.number;
    const std::string folder = next->exercise.folder();
    const std::string chapter = next->exercise.chapter();
    const auto page = find_unit(list_units(at.root, "chapters"), "chapter", chapter);
    text += "Next: exercise " + next->exercise.title() + "\n" +
            format_table({{"  read", "chapters/" + (page ? page->folder() : chapter) +
                                         "/README.md"},
                          {"", "exercises/" + folder + "/README.md"},
                          {"  see", "./workbook run " + chapter},
                          {"  edit", "exercises/" + folder + "/exercise.cpp"},
                          {"  check", "./workbook check " + number},
                          {"  stuck?", "./workbook hint " + number}});
  } else if (!all.empty()) {
    text += "All solved. Try other sizes: ./workbook run 13 -p 4 -m 16\n";
  }
  text += "\nAll commands: ./workbook --help\n";
  print(text);
  return kGood;
}

/// {"chapters": [{"number", "name", "exercise": "solved" or null, "tests": the same for
/// the exercise in which its tests are written}, …],
///  "schedules": [{"name", "summary"}, …]}
int list_command(const Workspace& at, bool as_json) {
  std::map<std::string, std::string> states;
  for (const Standing& standing : standings(at)) {
    states[standing.exercise.number] = std::string(to_text(standing.state));
  }
  Json json = {{"chapters", Json::array()}, {"schedules", Json::array()}};
  std::vector<std::vector<std::string>> chapters = {{"chapter", "exercise"}};
  for (const Unit& chapter : list_units(at.root, "chapters")) {
    const auto state = states.find(chapter.number);
    const auto tests = states.find(chapter.number + "t");
    const bool has = state != states.end();
    const bool has_tests = tests != states.end();
    chapters.push_back(
        {chapter.title(),
         (has ? state->second : "none") +
             (has_tests ? ", " + tests->first + ": " + tests->second : "")});
    json["chapters"].push_back(
        {{"number", chapter.number},
         {"name", chapter.name},
         {"exercise", has ? Json(state->second) : Json(nullptr)},
         {"tests", has_tests ? Json(tests->second) : Json(nullptr)}});
  }
  std::vector<std::vector<std::string>> schedules = {{"schedule", "what it is"}};
  for (const Generator& generator : generators()) {
    schedules.push_back({std::string(generator.name), std::string(generator.summary)});
    json["schedules"].push_back({{"name", std::string(generator.name)},
                                 {"summary", std::string(generator.summary)}});
  }
  print(as_json ? to_text(json)
                : format_table(chapters) + "\n" + format_table(schedules) +
                      "\nRun a chapter: ./workbook run 01\n"
                      "Draw a schedule: ./workbook schedule 1f1b -p 4 -m 8\n");
  return kGood;
}

}  // namespace pipeline
