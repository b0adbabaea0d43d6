#include "grading/grade_line.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "grading/grade_command.hpp"

namespace pipeline {
namespace {

/// An option, where its value goes, and a line of what it says.
struct TextOption {
  const char* name;
  const char* takes;
  std::string GradeAsked::*value;
  const char* what;
};

void add_options(CLI::App& command, GradeAsked& asked, const char* group,
                 std::initializer_list<TextOption> options) {
  for (const TextOption& option : options) {
    command.add_option(option.name, asked.*option.value, option.what)
        ->type_name(option.takes)
        ->group(group);
  }
}

constexpr const char* kGradeHelp =
    R"(DIR holds a folder, a zip or a single .cpp a student, or is what Canvas, Moodle
or Gradescope let you download. Nothing in it is run outside of a sandbox.
Verdicts are kept in OUT/cache: a run that was stopped goes on where it was, and
only what changed is graded again. The seed is kept in OUT/seed.
Exit codes: 0 graded, 1 the grader failed on some (run it again), 2 bad input,
3 no sandbox works here, 130 interrupted.)";

void add_grade(CLI::App& app, const Workspace& at, std::function<int()>& act) {
  const auto asked = std::make_shared<GradeAsked>();
  CLI::App* grade = app.add_subcommand("grade", "Grade a folder of submissions");
  grade->add_option("dir", asked->folder, "The folder of submissions")
      ->type_name("DIR")
      ->required();
  const char* whom = "What and whom";
  add_options(
      *grade, *asked, whom,
      {{"-e,--exercise", "NN", &GradeAsked::exercise,
        "Which exercise, if the files do not say"},
       {"--roster", "FILE", &GradeAsked::roster,
        "A CSV of the class: id,name,email,due,late"},
       {"--due", "TIME", &GradeAsked::due, "2026-03-01 23:59: counts the late days"}});
  const char* how = "How";
  add_options(
      *grade, *asked, how,
      {{"--hidden", "DIR", &GradeAsked::hidden, "More tests: DIR/NN_name/*.cpp"},
       {"--seed", "TEXT", &GradeAsked::seed, "Secret; draws the inputs of tests"}});
  grade
      ->add_flag("--per-student", asked->per_student,
                 "Draws them for each student apart")
      ->group(how);
  CLI::Option* tier =
      grade->add_option("--tier", asked->tier, "Of the sandbox: bubblewrap or own-user")
          ->type_name("NAME")
          ->group(how);
  grade->add_flag("--unsafe", asked->unsafe, "Run the answers with limits alone")
      ->excludes(tier)
      ->group(how);
  add_options(
      *grade, *asked, how,
      {{"-j,--jobs", "N", &GradeAsked::jobs, "At once (as many as cores)"},
       {"--patience", "X", &GradeAsked::patience, "Limits of wall time times X (1)"}});
  const char* reports = "What to write";
  add_options(
      *grade, *asked, reports,
      {{"-o,--out", "OUT", &GradeAsked::output, "A folder (DIR-grades)"},
       {"--canvas", "FILE", &GradeAsked::canvas, "Canvas's export to fill in"},
       {"--canvas-column", "NAME", &GradeAsked::canvas_column,
        "Its assignment, if named otherwise"},
       {"--moodle", "FILE", &GradeAsked::moodle, "Moodle's worksheet to fill in"}});
  grade->add_flag("--anonymous", asked->anonymous, "No names in index.html")
      ->group(reports);
  grade->add_flag("--json", asked->json, "Print JSON")->group(reports);
  grade->footer(kGradeHelp);
  grade->callback(
      [&at, &act, asked] { act = [&at, asked] { return grade_command(at, *asked); }; });
}

void add_gradescope(CLI::App& app, const Workspace& at, std::function<int()>& act) {
  const auto asked = std::make_shared<GradescopeAsked>();
  CLI::App* command =
      app.add_subcommand("gradescope", "Make the autograder of an exercise");
  command->add_option("exercise", asked->exercise, "Its number")->required();
  command->add_option("-o,--output", asked->output, "The archive (autograder.zip)")
      ->type_name("FILE");
  command->add_option("--hidden", asked->hidden, "More tests: DIR/NN_name/*.cpp")
      ->type_name("DIR");
  command->add_option("--seed", asked->seed, "Secret; draws the inputs of tests")
      ->type_name("TEXT");
  command->callback([&at, &act, asked] {
    act = [&at, asked] { return gradescope_command(at, *asked); };
  });
}

}  // namespace

void add_grading_commands(CLI::App& app, const Workspace& at,
                          std::function<int()>& act) {
  add_grade(app, at, act);
  add_gradescope(app, at, act);
}

}  // namespace pipeline
