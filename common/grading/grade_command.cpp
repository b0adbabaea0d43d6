// workbook grade: from a folder of submissions to every report.
#include "grading/grade_command.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/numbers.hpp"
#include "classroom/process.hpp"
#include "classroom/progress.hpp"
#include "classroom/starter.hpp"
#include "grading/batch.hpp"
#include "grading/dates.hpp"
#include "grading/gradebook.hpp"
#include "grading/judge.hpp"
#include "grading/misconceptions.hpp"
#include "grading/output_folder.hpp"
#include "grading/report.hpp"
#include "grading/report_terminal.hpp"
#include "grading/roster.hpp"
#include "grading/similarity.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// What was typed, checked.
struct Request {
  fs::path folder, output, hidden;
  std::optional<std::int64_t> due;
  int jobs = 1;
  double patience = 1;
  Tier tier = Tier::Bubblewrap;
};

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// The whole path without links, and without a slash at its end.
fs::path whole_path(const std::string& typed) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(typed), error);
  return path.has_filename() ? path : path.parent_path();
}

Expected<void> read_numbers(const GradeAsked& asked, Request& request) {
  constexpr int kMostJobs = 64;
  request.jobs =
      std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostJobs);
  if (!asked.jobs.empty()) {
    const auto jobs = parse_count("--jobs", asked.jobs, 1, kMostJobs);
    if (!jobs) return tl::unexpected(jobs.error());
    request.jobs = *jobs;
  }
  if (!asked.patience.empty()) {
    const auto patience = parse_amount("--patience", asked.patience);
    if (!patience) return tl::unexpected(patience.error());
    request.patience = std::max(1.0, *patience);
  }
  if (asked.due.empty()) return {};
  request.due = parse_time(asked.due);
  if (request.due) return {};
  return refuse("--due is '" + asked.due + "'",
                "Write it as 2026-03-01, 2026-03-01 23:59 or 2026-03-01T23:59:00Z.");
}

Expected<Request> read_request(const GradeAsked& asked) {
  Request request;
  if (const auto read = read_numbers(asked, request); !read)
    return tl::unexpected(read.error());
  std::error_code error;
  request.folder = whole_path(asked.folder);
  if (!fs::is_directory(request.folder, error)) {
    return refuse("there is no folder " + asked.folder,
                  "Name a folder with a subfolder, a zip or a file for each student.");
  }
  request.output = whole_path(asked.output.empty() ? request.folder.string() + "-grades"
                                                   : asked.output);
  if (is_within(request.output, request.folder)) {
    return refuse("the output would be among the submissions",
                  "Name a folder beside them: --out DIR.");
  }
  if (asked.hidden.empty()) return request;
  request.hidden = whole_path(asked.hidden);
  if (!fs::is_directory(request.hidden, error)) {
    return refuse("there is no folder " + asked.hidden,
                  "Name the folder that holds NN_name/*.cpp: --hidden DIR.");
  }
  return request;
}

/// The class, and what its instructor should hear of.
struct Class {
  Unit exercise;
  std::vector<Submission> submissions;
  std::vector<std::string> notes;
};

double late_days(const RosterEntry& who, const std::optional<HandedIn>& handed,
                 const std::optional<std::int64_t>& due) {
  if (who.late_days) return *who.late_days;
  const std::optional<std::int64_t> until = who.due ? who.due : due;
  if (!until || !handed || !handed->when) return 0;
  return days_late(*handed->when, *until);
}

/// Everybody of the class with their answer, where there is one.
std::vector<Submission> find_answers(const Workspace& at, const Unit& exercise,
                                     std::vector<Enrolled> students,
                                     const std::optional<std::int64_t>& due) {
  AnswerFinder finder(at.root, exercise);
  std::vector<Submission> submissions;
  for (Enrolled& student : students) {
    Submission submission;
    if (student.handed) submission = finder.find(*student.handed);
    submission.id = student.who.id;
    submission.name = student.who.name;
    if (submission.found)
      submission.late_days = late_days(student.who, student.handed, due);
    submissions.push_back(std::move(submission));
  }
  return submissions;
}

Expected<Class> read_class(const Workspace& at, const GradeAsked& asked,
                           const Request& request) {
  Class result;
  const std::vector<Unit> exercises = list_units(at.root, "exercises");
  std::optional<std::vector<RosterEntry>> roster;
  if (!asked.roster.empty()) {
    const auto csv = read_file(asked.roster);
    if (!csv) return tl::unexpected(csv.error());
    auto parsed = parse_roster(*csv);
    if (!parsed) return tl::unexpected(parsed.error());
    roster = std::move(*parsed);
  }
  show_status("reading the submissions");
  auto folder = read_submissions(request.folder);
  if (!folder) return tl::unexpected(folder.error());
  const auto exercise = asked.exercise.empty()
                            ? guess_exercise(folder->students, exercises)
                            : find_unit(exercises, "exercise", asked.exercise);
  if (!exercise) return tl::unexpected(exercise.error());
  result.exercise = *exercise;
  result.notes = std::move(folder->notes);
  MatchedClass matched = roster ? match_roster(*roster, std::move(folder->students))
                                : without_roster(std::move(folder->students));
  result.notes.insert(result.notes.end(), matched.notes.begin(), matched.notes.end());
  result.submissions =
      find_answers(at, *exercise, std::move(matched.students), request.due);
  if (result.submissions.empty()) {
    return refuse("there is no submission in " + asked.folder,
                  "It should hold a subfolder, a zip or a .cpp for each student.");
  }
  return result;
}

/// The reports on it, and what they want to be said.
Expected<Warnings> write_all(const Workspace& at, const GradeAsked& asked,
                             const Gradebook& gradebook, const std::string& seed,
                             const fs::path& output, SimilarityReport& alike) {
  ReportOptions options;
  options.anonymous = asked.anonymous;
  options.secret = seed;
  options.canvas = asked.canvas;
  options.canvas_column = asked.canvas_column;
  options.moodle = asked.moodle;
  show_status("writing the reports");
  auto warnings = write_reports(gradebook, output, options);
  if (!warnings) return warnings;
  show_status("comparing the answers");
  const auto solution = read_file(solution_path(at, gradebook.exercise));
  if (!solution) return tl::unexpected(solution.error());
  const auto starter = derive_starter(*solution);
  if (!starter) return tl::unexpected(starter.error());
  std::vector<Submission> submissions;
  for (const Graded& graded : gradebook.students)
    submissions.push_back(graded.submission);
  alike = similarity(submissions, *starter, without_marks(*solution));
  const auto written = write_similarity(alike, gradebook.exercise.title(), output);
  if (!written) return tl::unexpected(written.error());
  show_status("");
  return warnings;
}

std::string notes_as_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += wrap("- " + note, 2, 0);
  return text.empty() ? "" : "\n" + text;
}

Json submission_as_json(const Graded& graded) {
  Json tests = Json::array();
  for (const TestVerdict& each : graded.verdict.tests) {
    tests.push_back({{"name", each.test.name},
                     {"points", each.test.points},
                     {"hidden", each.test.hidden},
                     {"passed", each.passed}});
  }
  std::vector<std::string> notes = graded.submission.notes;
  notes.insert(notes.end(), graded.verdict.notes.begin(), graded.verdict.notes.end());
  return {{"id", graded.submission.id},
          {"name", graded.submission.name},
          {"status", to_text(graded.verdict.status)},
          {"points", graded.verdict.points()},
          {"late_days", graded.submission.late_days},
          {"mistake", graded.verdict.mistake},
          {"notes", notes},
          {"tests", tests}};
}

std::string as_json(const Gradebook& gradebook, const Batch& batch,
                    const fs::path& output, const std::vector<std::string>& notes) {
  Json json = {{"exercise", gradebook.exercise.number},
               {"tier", gradebook.tier},
               {"per_student", gradebook.per_student},
               {"points_possible", gradebook.of()},
               {"reports", output.string()},
               {"judged", batch.judged},
               {"reused", batch.reused},
               {"submissions", Json::array()},
               {"notes", notes}};
  for (const Graded& graded : gradebook.students)
    json["submissions"].push_back(submission_as_json(graded));
  return to_text(json);
}

std::string as_text(const Gradebook& gradebook, const fs::path& output,
                    const SimilarityReport& alike,
                    const std::vector<std::string>& notes) {
  return grades_as_text(gradebook, look_of_stdout(), wants_ascii()) +
         similarity_as_text(alike) + notes_as_text(notes) + "\nEverything is in " +
         output.string() + ": begin with index.html.\n";
}

/// All that is there before the first answer is judged.
struct Prepared {
  Request request;
  Class all;
  OutputFolder output;
  std::string seed;
  Cache cache;
  Kit kit;
};

Expected<Prepared> prepare(const Workspace& at, const GradeAsked& asked) {
  auto request = read_request(asked);
  if (!request) return tl::unexpected(request.error());
  auto all = read_class(at, asked, *request);
  if (!all) return tl::unexpected(all.error());
  const auto tier = choose_tier(asked.unsafe ? "unsafe" : asked.tier);
  if (!tier) return tl::unexpected(tier.error());
  request->tier = *tier;
  auto output = OutputFolder::open(request->output);
  if (!output) return tl::unexpected(output.error());
  auto seed = keep_seed(output->path() / "seed", asked.seed);
  if (!seed) return tl::unexpected(seed.error());
  auto cache = Cache::open(output->path() / "cache");
  if (!cache) return tl::unexpected(cache.error());
  show_status("building the tests");
  auto kit = make_kit(at, all->exercise, request->hidden, *tier);
  if (!kit) return tl::unexpected(kit.error());
  return Prepared{std::move(*request), std::move(*all),   std::move(*output),
                  std::move(*seed),    std::move(*cache), std::move(*kit)};
}

BatchOptions batch_options(const Prepared& ready, const GradeAsked& asked) {
  BatchOptions options;
  options.kit_hash = ready.kit.hash;
  options.tests = ready.kit.list;
  options.judging.tier = ready.request.tier;
  options.judging.seed = ready.seed;
  options.judging.patience = ready.request.patience;
  options.per_student = asked.per_student;
  options.jobs = ready.request.jobs;
  options.stopped = interrupted;
  return options;
}

Gradebook make_gradebook(Prepared& ready, const GradeAsked& asked,
                         std::vector<Mistake> mistakes, std::vector<Verdict> verdicts) {
  Gradebook gradebook;
  gradebook.exercise = ready.all.exercise;
  gradebook.tests = ready.kit.list;
  gradebook.mistakes = std::move(mistakes);
  gradebook.tier = to_text(ready.request.tier);
  gradebook.per_student = asked.per_student;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    gradebook.students.push_back(
        {std::move(ready.all.submissions[i]), std::move(verdicts[i])});
  }
  return gradebook;
}

int stopped_by_interrupt() {
  complain(
      {"interrupted: what was graded is kept", "The same command goes on from there."});
  return kInterrupted;
}

/// Writes the reports and prints the table.
int report(const Workspace& at, const GradeAsked& asked, const Prepared& ready,
           const Gradebook& gradebook, const Batch& batch,
           const std::vector<std::string>& on_mistakes) {
  const fs::path& output = ready.output.path();
  SimilarityReport alike;
  const auto warnings = write_all(at, asked, gradebook, ready.seed, output, alike);
  if (!warnings) return complain(warnings.error());
  std::vector<std::string> notes = ready.all.notes;
  notes.insert(notes.end(), warnings->begin(), warnings->end());
  notes.insert(notes.end(), on_mistakes.begin(), on_mistakes.end());
  print(asked.json ? as_json(gradebook, batch, output, notes)
                   : as_text(gradebook, output, alike, notes));
  if (batch.faults == 0) return kGood;
  complain({"the grader failed on " + std::to_string(batch.faults) + " of " +
                std::to_string(gradebook.students.size()),
            "They keep the points they had. Run the same command to try them again."});
  return kFailed;
}

}  // namespace

int grade_command(const Workspace& at, const GradeAsked& asked) {
  auto ready = prepare(at, asked);
  if (interrupted()) return kInterrupted;
  if (!ready) return complain(ready.error());
  const Unit exercise = ready->all.exercise;
  auto mistakes = list_mistakes(at.root / "exercises" / exercise.folder());
  if (!mistakes) return complain(mistakes.error());

  const BatchOptions options = batch_options(*ready, asked);
  const JudgeAnswer judging = [&](std::string_view answer, const JudgeOptions& how) {
    return judge(ready->kit, answer, how);
  };
  Batch batch = grade_all(ready->all.submissions, options, ready->cache, judging);
  if (!batch.whole) return stopped_by_interrupt();
  // For the one answer of an autograder nobody reads what a class fell for, and judging
  // a dozen answers beside it would take its student's time.
  const bool is_class = ready->all.submissions.size() > 1;
  const auto known =
      learn_mistakes(at, exercise, is_class ? *mistakes : std::vector<Mistake>(),
                     options, ready->cache, judging);
  if (interrupted()) return stopped_by_interrupt();
  if (!known) return complain(known.error());

  Gradebook gradebook =
      make_gradebook(*ready, asked, std::move(*mistakes), std::move(batch.verdicts));
  attach_mistakes(gradebook, *known);
  return report(at, asked, *ready, gradebook, batch, known->notes);
}

}  // namespace pipeline
