#include "classroom/merge.hpp"

#include <sstream>
#include <system_error>

#include "classroom/files.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMine = "yours";
constexpr const char* kBase = "old starter";
constexpr const char* kTheirs = "new starter";
constexpr double kTimeout = 60;  // seconds
constexpr int kMostConflicts = 127;

/// The three sides as files, gone with it.
class SideFiles {
 public:
  SideFiles(const MergeSides& sides, const fs::path& folder)
      : mine(folder / "merge_yours"),
        base(folder / "merge_old"),
        theirs(folder / "merge_new"),
        written(write_file(mine, sides.mine) && write_file(base, sides.base) &&
                write_file(theirs, sides.theirs)) {}
  ~SideFiles() {
    std::error_code error;
    for (const fs::path& file : {mine, base, theirs}) fs::remove(file, error);
  }
  SideFiles(const SideFiles&) = delete;
  SideFiles& operator=(const SideFiles&) = delete;

  const fs::path mine, base, theirs;
  const bool written;
};

}  // namespace

Expected<Merged> merge(const MergeSides& sides, const fs::path& scratch) {
  const SideFiles files(sides, scratch);
  if (!files.written) {
    return refuse("cannot write to " + scratch.string(),
                  "Make room there, and make it writable.");
  }
  ProcessOptions options;
  options.timeout_seconds = kTimeout;
  // Whatever style of conflicts the user has set. git exits with their number, diff3
  // with 1 if there are any.
  const ProcessResult git =
      run_process({"git", "-c", "merge.conflictStyle=merge", "merge-file", "-p", "-q",
                   "-L", kMine, "-L", kBase, "-L", kTheirs, files.mine.string(),
                   files.base.string(), files.theirs.string()},
                  options);
  if (!git.timed_out && git.exit_code < kMostConflicts) {
    return Merged{git.output, conflict_lines(git.output)};
  }
  const ProcessResult diff3 =
      // -E: what both changed in the same way is no conflict.
      run_process({"diff3", "-m", "-E", "-L", kMine, "-L", kBase, "-L", kTheirs,
                   files.mine.string(), files.base.string(), files.theirs.string()},
                  options);
  if (!diff3.timed_out && diff3.exit_code <= 1) {
    return Merged{diff3.output, conflict_lines(diff3.output)};
  }
  return absent("neither git nor diff3 can merge here", "Install git, then try again.");
}

std::vector<std::size_t> conflict_lines(const std::string& text) {
  std::vector<std::size_t> found;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("<<<<<<< ")) found.push_back(number);
  }
  return found;
}

}  // namespace pipeline
