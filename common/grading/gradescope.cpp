#include "grading/gradescope.hpp"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/starter.hpp"
#include "grading/archive.hpp"
#include "grading/grade_command.hpp"
#include "grading/output_folder.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// What both scripts begin with. Containers allow no namespaces, so that the tier is
/// own-user; answers then run as another user, who is to see neither tests nor
/// solutions.
constexpr const char* kBegin = R"sh(set -eu
class=$(mktemp -d)
trap 'rm -rf -- "$class"' EXIT
mkdir -- "$class/in" "$class/out"
chmod 700 -- "$source"
arguments=(grade "$class/in" --exercise @NUMBER@ --tier own-user --out "$class/out")
if [ -d "$source/hidden" ]; then arguments+=(--hidden "$source/hidden"); fi
)sh";

constexpr const char* kSetUp = R"sh(#!/usr/bin/env bash
# Gradescope runs this when it makes the image: installs what is missing, builds the
# tests and grades the solution, so that a grader that does not work is seen at once.
source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
@BEGIN@mkdir -- "$class/in/solution"
cp -- "$source/solutions/@FOLDER@/exercise.cpp" "$class/in/solution"
bash "$source/workbook" --yes "${arguments[@]}"
)sh";

constexpr const char* kRun = R"sh(#!/usr/bin/env bash
# Gradescope runs this for each submission. Where the grader itself fails it ends with
# an error and without a results.json, so that an earlier score stays as it was.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source=$here/source
@BEGIN@chmod 700 -- "$here/submission" "$here/results"
# Links stay links: they are not followed.
cp -a -- "$here/submission" "$class/in/submission"
(umask 077 && cp -- "$source/seed" "$class/out/seed")
bash "$source/workbook" --yes "${arguments[@]}"
cp -- "$class/out/gradescope/submission.json" "$here/results/results.json"
)sh";

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != text.npos;
       at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
  return text;
}

std::string script(const char* form, const Unit& exercise) {
  const std::string whole = replaced(form, "@BEGIN@", kBegin);
  return replaced(replaced(whole, "@NUMBER@", exercise.number), "@FOLDER@",
                  exercise.folder());
}

/// The files of a folder and of those within it, in the order of their paths.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error);
       it != fs::recursive_directory_iterator(); it.increment(error)) {
    const bool hidden = it->path().filename().string().starts_with(".");
    if (hidden) {
      it.disable_recursion_pending();
    } else if (it->symlink_status(error).type() == fs::file_type::regular) {
      files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Collects the files; after the first that cannot be read it takes no more.
class Packer {
 public:
  explicit Packer(fs::path root) : root_(std::move(root)) {}

  void text(std::string path, std::string bytes, bool executable = false) {
    files_.push_back({std::move(path), std::move(bytes), executable});
  }
  void file(const fs::path& from, const std::string& to) {
    if (!fault_.what.empty()) return;
    auto bytes = read_file(from);
    if (!bytes) {
      fault_ = bytes.error();
      return;
    }
    std::error_code error;
    const fs::perms mode = fs::status(from, error).permissions();
    text(to, std::move(*bytes), (mode & fs::perms::owner_exec) != fs::perms::none);
  }
  void ours(const std::string& path) { file(root_ / path, path); }
  void folder(
      const std::string& path, const std::function<bool(const std::string&)>& wanted =
                                   [](const auto&) { return true; }) {
    for (const fs::path& each : files_below(root_ / path)) {
      const std::string within = each.lexically_relative(root_).string();
      if (wanted(within)) file(each, within);
    }
  }
  /// An exercise with its starter, and its solution.
  void exercise(const Unit& unit) {
    const std::string answer = "exercises/" + unit.folder() + "/exercise.cpp";
    const std::string solution = "solutions/" + unit.folder() + "/exercise.cpp";
    folder("exercises/" + unit.folder());
    ours(solution);
    if (!fault_.what.empty()) return;
    const auto starter = derive_starter(files_.back().bytes);
    if (!starter) {
      fault_ = starter.error();
      return;
    }
    for (ArchiveFile& each : files_) {
      if (each.path == answer) each.bytes = *starter;
    }
  }

  Expected<std::string> zip() {
    if (!fault_.what.empty()) return tl::unexpected(fault_);
    std::sort(files_.begin(), files_.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return make_zip(files_);
  }

 private:
  fs::path root_;
  std::vector<ArchiveFile> files_;
  Error fault_;
};

}  // namespace

Expected<std::string> make_autograder(const Workspace& at, const Unit& exercise,
                                      const fs::path& hidden, const std::string& seed) {
  Packer packer(at.root);
  packer.text("setup.sh", script(kSetUp, exercise), true);
  packer.text("run_autograder", script(kRun, exercise), true);
  packer.text("seed", seed + "\n");
  for (const char* file :
       {"workbook", "CMakeLists.txt", "CMakePresets.json", "LICENSE"})
    packer.ours(file);
  // The grader's own tests are on other exercises too.
  packer.folder("common", [](const std::string& path) {
    return !path.starts_with("common/grading/") || !path.ends_with("_test.cpp");
  });
  // An exercise in which tests are written is graded with the one that they test.
  for (const Unit& unit : list_units(at.root, "exercises")) {
    if (unit.chapter() == exercise.chapter()) packer.exercise(unit);
  }
  if (!hidden.empty()) {
    const std::vector<fs::path> tests = files_below(hidden / exercise.folder());
    if (tests.empty()) {
      return refuse("there is no test in " + (hidden / exercise.folder()).string(),
                    "Name the folder that holds NN_name/*.cpp: --hidden DIR.");
    }
    for (const fs::path& test : tests)
      packer.file(test, "hidden/" + test.lexically_relative(hidden).string());
  }
  return packer.zip();
}

int gradescope_command(const Workspace& at, const GradescopeAsked& asked) {
  const auto exercise =
      find_unit(list_units(at.root, "exercises"), "exercise", asked.exercise);
  if (!exercise) return complain(exercise.error());
  // The seed is kept, so that the same command makes the same archive.
  const fs::path seeds = at.state() / "seeds";
  std::error_code error;
  fs::create_directories(seeds, error);
  const auto seed = keep_seed(seeds / ("gradescope_" + exercise->number), asked.seed);
  if (!seed) return complain(seed.error());
  const auto zip = make_autograder(at, *exercise, asked.hidden, *seed);
  if (!zip) return complain(zip.error());
  // It holds the seed and the hidden tests.
  const auto written = write_secret(asked.output, *zip);
  if (!written) return complain(written.error());
  print("The autograder of exercise " + exercise->title() + " is in " + asked.output +
        ".\n" +
        wrap("Upload it to a programming assignment under Configure Autograder, and "
             "test it there with the solution. It holds the tests and their secret "
             "seed: show it to nobody."));
  return kGood;
}

}  // namespace pipeline
