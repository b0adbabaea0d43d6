#include "grading/report.hpp"

#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "classroom/files.hpp"
#include "grading/file_names.hpp"
#include "grading/pseudonyms.hpp"
#include "grading/report_csv.hpp"
#include "grading/report_feedback.hpp"
#include "grading/report_gradescope.hpp"
#include "grading/report_index.hpp"
#include "grading/report_junit.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// What is to be written, by its path within the folder.
using Files = std::map<std::string, std::string>;

/// What is wrong with a file, with its name in front.
tl::unexpected<Error> in_file(const fs::path& path, Error error) {
  error.what = path.string() + ": " + error.what;
  return tl::unexpected<Error>(std::move(error));
}

/// Fills in one export, if there is one.
template <typename Fill>
Expected<void> add_export(const fs::path& path, const std::string& name,
                          const Fill& fill, Files& files, Warnings& warnings) {
  if (path.empty()) return {};
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto filled = fill(*text);
  if (!filled) return in_file(path, filled.error());
  files[name] = std::move(filled->text);
  warnings.insert(warnings.end(), filled->warnings.begin(), filled->warnings.end());
  return {};
}

std::string index_of(const Gradebook& gradebook, const ReportOptions& options) {
  if (!options.anonymous) return index_page(gradebook, true);
  return index_page(anonymous(gradebook, options.secret), false);
}

/// A page and results.json a student. After a grader's error what an earlier grading
/// wrote is left alone; where there is none, the page says what happened.
void add_students(const Gradebook& gradebook, const fs::path& folder, Files& files) {
  for (const Graded& graded : gradebook.students) {
    const std::string name = file_name_of(graded.submission.id);
    const std::string page = "feedback/" + name + ".html";
    std::error_code ignored;
    if (graded.verdict.status != Status::GraderError ||
        !fs::exists(folder / page, ignored)) {
      files[page] = feedback_page(gradebook, graded);
    }
    if (auto results = gradescope_results(gradebook, graded)) {
      files["gradescope/" + name + ".json"] = std::move(*results);
    }
  }
}

Expected<void> write_all(const Files& files, const fs::path& folder) {
  for (const fs::path& path : {folder, folder / "feedback", folder / "gradescope"}) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) {
      return refuse("cannot create " + path.string() + ": " + error.message(),
                    "Name a folder that you may write to.");
    }
  }
  for (const auto& [name, text] : files) {
    if (auto written = write_file(folder / name, text); !written) return written;
  }
  return {};
}

}  // namespace

Expected<Warnings> write_reports(const Gradebook& gradebook, const fs::path& folder,
                                 const ReportOptions& options) {
  Files files;
  Warnings warnings;
  const auto canvas = add_export(
      options.canvas, "canvas.csv",
      [&](const std::string& text) {
        return fill_canvas(text, gradebook, options.canvas_column);
      },
      files, warnings);
  if (!canvas) return tl::unexpected(canvas.error());
  const auto moodle = add_export(
      options.moodle, "moodle.csv",
      [&](const std::string& text) { return fill_moodle(text, gradebook); }, files,
      warnings);
  if (!moodle) return tl::unexpected(moodle.error());

  files["grades.csv"] = grades_as_csv(gradebook);
  files["mistakes.csv"] = mistakes_as_csv(gradebook);
  files["times.csv"] = times_as_csv(gradebook);
  files["junit.xml"] = grades_as_junit(gradebook);
  files["index.html"] = index_of(gradebook, options);
  add_students(gradebook, folder, files);
  if (const auto written = write_all(files, folder); !written) {
    return tl::unexpected(written.error());
  }
  return warnings;
}

}  // namespace pipeline
