#include "grading/submission.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "classroom/files.hpp"
#include "grading/gradescope_export.hpp"
#include "grading/shown.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostIdBytes = 100;

std::string fit(std::string_view text) {
  return shortened(visible_line(text), kMostIdBytes);
}

/// What the name of an entry says of its student.
struct EntryName {
  std::string id;
  std::string name;      ///< empty where it says none
  std::string original;  ///< what the student called the file, where that is there
  bool late = false;
};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::size_t from,
                 std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += (i > from ? "_" : "") + parts[i];
  return text;
}

/// Canvas: NAME_USER_FILE_ORIGINAL, with LATE after the name where it was.
std::optional<EntryName> canvas_name(const std::string& entry) {
  const std::vector<std::string> parts = split(entry, '_');
  for (std::size_t i = 1; i + 2 < parts.size(); ++i) {
    if (!is_number(parts[i]) || !is_number(parts[i + 1])) continue;
    const bool late = parts[i - 1] == "LATE" && i > 1;
    return EntryName{parts[i], join(parts, 0, late ? i - 1 : i),
                     join(parts, i + 2, parts.size()), late};
  }
  return std::nullopt;
}

/// Moodle: NAME_PARTICIPANT_assignsubmission_file_, which may be a folder or go before
/// the name of the file.
std::optional<EntryName> moodle_name(const std::string& entry) {
  constexpr std::string_view kMark = "_assignsubmission_";
  const std::size_t mark = entry.find(kMark);
  if (mark == std::string::npos) return std::nullopt;
  const std::string person = entry.substr(0, mark);
  const std::size_t line = person.rfind('_');
  if (line == std::string::npos || !is_number(person.substr(line + 1)))
    return std::nullopt;
  const std::vector<std::string> rest = split(entry.substr(mark + kMark.size()), '_');
  return EntryName{person.substr(line + 1), person.substr(0, line),
                   join(rest, 1, rest.size()), false};
}

EntryName parse_entry(const std::string& entry, bool is_folder) {
  if (const auto canvas = canvas_name(entry)) return *canvas;
  if (const auto moodle = moodle_name(entry)) return *moodle;
  return {is_folder ? entry : fs::path(entry).stem().string(), "", "", false};
}

/// Students by the raw text of their ids, which nothing but an entry of the same id may
/// add to.
class Students {
 public:
  void add(const std::string& entry, const EntryName& name, HandedFiles files) {
    const bool known = students_.contains(name.id);
    HandedIn& student = students_[name.id];
    if (!known) {
      student.name = fit(name.name.empty() ? name.id : name.name);
      student.also = {entry};
    }
    student.marked_late = student.marked_late || name.late;
    for (HandedFile& file : files.sources) {
      // A single file goes by the name that its student gave it.
      if (!name.original.empty() && file.path == entry) file.path = name.original;
      if (known) file.path = entry + "/" + file.path;
      student.files.sources.push_back(std::move(file));
    }
    std::move(files.notes.begin(), files.notes.end(),
              std::back_inserter(student.files.notes));
  }
  void add(const Submitter& submitter, const std::string& entry,
           const ExportedSubmission& submission, const HandedFiles& files) {
    const std::string& id = !submitter.sid.empty()     ? submitter.sid
                            : !submitter.email.empty() ? submitter.email
                                                       : entry;
    HandedIn& student = students_[id];
    student = {"",
               fit(submitter.name.empty() ? id : submitter.name),
               {entry, submitter.email, submitter.sid},
               files,
               submission.when,
               false};
  }

  /// In the order of their ids, which are now fit to be shown and still unique.
  std::vector<HandedIn> take() {
    std::set<std::string> taken;
    std::vector<HandedIn> result;
    for (auto& [raw, student] : students_) {
      const std::string id = fit(raw);
      student.id = id;
      for (int n = 2; !taken.insert(student.id).second; ++n)
        student.id = id + "-" + std::to_string(n);
      result.push_back(std::move(student));
    }
    std::sort(result.begin(), result.end(),
              [](const HandedIn& a, const HandedIn& b) { return a.id < b.id; });
    return result;
  }

 private:
  std::map<std::string, HandedIn> students_;
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_real_folder(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

/// Whether an entry may be what a student handed in: a file of another kind is not, but
/// something hostile in the place of one is.
bool may_be_handed_in(const fs::path& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::regular) return true;
  const std::string end = path.extension().string();
  return end == ".cpp" || end == ".zip" || end == ".cc" || end == ".cxx";
}

constexpr const char* kMetadata = "submission_metadata.yml";

Expected<HandedInFolder> read_gradescope(const fs::path& folder) {
  const auto yaml = read_file(folder / kMetadata);
  if (!yaml) return tl::unexpected(yaml.error());
  const auto listed = parse_gradescope_metadata(*yaml);
  if (!listed) return tl::unexpected(listed.error());
  HandedInFolder result;
  Students students;
  std::error_code error;
  for (const auto& [entry, submission] : *listed) {
    HandedFiles files;
    // The name comes out of a file: it is one of this folder or nothing.
    if (parts_of(entry).size() == 1 && entry.find('/') == std::string::npos &&
        entry != ".." && fs::exists(fs::symlink_status(folder / entry, error))) {
      files = read_handed(folder, entry);
    } else {
      files.notes.push_back("Gradescope lists it, but its files are not here");
    }
    if (submission.submitters.empty())
      result.notes.push_back(fit(entry) + " has no submitter: left out");
    for (const Submitter& submitter : submission.submitters)
      students.add(submitter, entry, submission, files);
  }
  for (const std::string& name : names_in(folder)) {
    if (name != kMetadata && !listed->contains(name) && !name.starts_with("."))
      result.notes.push_back(fit(name) + " is not in " + kMetadata + ": left out");
  }
  result.students = students.take();
  return result;
}

HandedInFolder read_plain(const fs::path& folder,
                          const std::vector<std::string>& names) {
  HandedInFolder result;
  Students students;
  for (const std::string& name : names) {
    if (name.starts_with(".") || name == "__MACOSX") continue;
    if (!may_be_handed_in(folder / name)) {
      result.notes.push_back(fit(name) + " is no folder, zip or C++ file: left out");
      continue;
    }
    students.add(name, parse_entry(name, is_real_folder(folder / name)),
                 read_handed(folder, name));
  }
  result.students = students.take();
  return result;
}

/// Exercises that a file may be an answer to, by its folder or its first lines.
std::set<std::string> stated_in(const HandedFile& file,
                                const std::vector<Unit>& exercises) {
  std::set<std::string> stated;
  const std::vector<std::string_view> parts = parts_of(file.path);
  const std::string_view folder = parts.size() < 2 ? "" : parts[parts.size() - 2];
  constexpr std::size_t kHead = 2000;  // bytes
  const std::string_view head = std::string_view(file.text).substr(0, kHead);
  for (const Unit& exercise : exercises) {
    if (folder == exercise.folder() ? file.name() == "exercise.cpp"
                                    : head.find("exercises/" + exercise.folder() +
                                                "/") != std::string_view::npos) {
      stated.insert(exercise.number);
    }
  }
  return stated;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// "exercise.cpp", or "exercise-1.cpp" as platforms number what is handed in again.
bool is_exercise_file(std::string_view name) {
  constexpr std::string_view kBegin = "exercise";
  constexpr std::string_view kEnd = ".cpp";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  return name.empty() || (name.front() == '-' && is_number(name.substr(1)));
}

/// Up to three of them, and how many more.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i)
    text += (i > 0 ? ", " : "") + fit(names[i]);
  if (names.size() > kNamed)
    text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

}  // namespace

Expected<HandedInFolder> read_submissions(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return refuse(folder.string() + " is no folder",
                  "Name a folder with a subfolder, a zip or a file for each student.");
  }
  const std::vector<std::string> names = names_in(folder);
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has("CMakePresets.json") && has("exercises")) {
    return refuse(folder.string() + " is a checkout of the workbook",
                  "Name the folder that holds a subfolder for each student.");
  }
  if (has(kMetadata)) return read_gradescope(folder);
  // Gradescope's zip, unpacked, is a folder that holds all of it.
  if (names.size() == 1 && is_real_folder(folder / names[0]) &&
      fs::exists(folder / names[0] / kMetadata, error)) {
    return read_gradescope(folder / names[0]);
  }
  return read_plain(folder, names);
}

Expected<Unit> guess_exercise(const std::vector<HandedIn>& students,
                              const std::vector<Unit>& exercises) {
  std::optional<std::set<std::string>> common;
  for (const HandedIn& student : students) {
    std::set<std::string> stated;
    for (const HandedFile& file : student.files.sources)
      stated.merge(stated_in(file, exercises));
    if (stated.empty()) continue;
    if (!common) common = stated;
    std::erase_if(*common, [&](const auto& it) { return !stated.contains(it); });
  }
  if (common && common->size() == 1)
    return find_unit(exercises, "exercise", *common->begin());
  const char* what = !common           ? "no submission says for which exercise it is"
                     : common->empty() ? "the submissions are for several exercises"
                                       : "the submissions hold several exercises";
  return refuse(what, "Say which to grade, such as --exercise 01.");
}

struct AnswerFinder::Candidate {
  const HandedFile* file = nullptr;
  int rank = 0;  ///< 0: surely meant, …
  std::size_t depth = 0;

  bool operator<(const Candidate& other) const {
    return std::pair(rank, depth) < std::pair(other.rank, other.depth);
  }
};

AnswerFinder::AnswerFinder(fs::path root, Unit exercise)
    : root_(std::move(root)), exercise_(std::move(exercise)) {
  for (const Unit& unit : list_units(root_, "exercises")) {
    if (unit.number != exercise_.number) others_.push_back(unit.folder());
  }
}

std::optional<AnswerFinder::Candidate> AnswerFinder::candidate(
    const HandedFile& file) const {
  const std::vector<std::string_view> parts = parts_of(file.path);
  const std::string_view name = parts.back();
  if (!name.ends_with(".cpp")) return std::nullopt;
  bool named = false;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    named = named || parts[i] == exercise_.folder();
    if (is_one_of(parts[i], {"solutions", "chapters", "common", "docs", "mistakes"}) ||
        std::find(others_.begin(), others_.end(), parts[i]) != others_.end()) {
      return std::nullopt;
    }
  }
  if (is_exercise_file(name)) return Candidate{&file, named ? 0 : 1, parts.size()};
  if (named || name == "test.cpp" || name == "main.cpp" || name.ends_with("_test.cpp"))
    return std::nullopt;
  return Candidate{&file, 2, parts.size()};
}

const HandedFile* AnswerFinder::choose(const HandedFiles& files,
                                       std::vector<std::string>& notes) {
  std::vector<Candidate> candidates;
  for (const HandedFile& file : files.sources) {
    if (const auto one = candidate(file)) candidates.push_back(*one);
  }
  if (candidates.empty()) {
    notes.emplace_back("there is no exercise.cpp in it");
    return nullptr;
  }
  std::stable_sort(candidates.begin(), candidates.end());
  const Candidate& best = candidates.front();
  std::vector<std::string> equals;  // paths of those that are as good
  std::vector<std::string> rest;
  bool same = true;
  for (const Candidate& one : candidates) {
    if (best < one) {
      if (one.rank < 2) rest.push_back(one.file->path);
    } else {
      equals.push_back(one.file->path);
      same = same && one.file->text == best.file->text;
    }
  }
  if (!same) {
    notes.push_back("none of several files was taken: " + listed(equals));
    return nullptr;
  }
  if (best.rank == 2 || !rest.empty())
    notes.push_back("taken: " + fit(best.file->path) +
                    (rest.empty() ? "" : ", and not " + listed(rest)));
  return best.file;
}

std::string AnswerFinder::ours(std::string_view path, const HandedFile* answer) const {
  const std::vector<std::string_view> parts = parts_of(path);
  const std::string folder = "exercises/" + exercise_.folder();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const bool here = parts[i] == exercise_.folder() && i + 2 == parts.size();
    if (here) return folder + "/" + std::string(parts.back());
    if (parts[i] != "common") continue;
    std::string whole = "common";
    for (std::size_t k = i + 1; k < parts.size(); ++k)
      whole.append("/").append(parts[k]);
    return whole;
  }
  // Beside the answer, wherever that lies.
  if (answer == nullptr || parts.empty()) return {};
  const std::vector<std::string_view> beside = parts_of(answer->path);
  if (!std::equal(parts.begin(), parts.end() - 1, beside.begin(), beside.end() - 1))
    return {};
  return folder + "/" + std::string(parts.back());
}

bool AnswerFinder::differs(const HandedFile& file, const std::string& ours) {
  auto known = texts_.find(ours);
  if (known == texts_.end()) {
    std::error_code error;
    std::optional<std::string> text;
    if (fs::is_regular_file(root_ / ours, error)) {
      if (const auto read = read_file(root_ / ours)) text = *read;
    }
    known = texts_.emplace(ours, std::move(text)).first;
  }
  return known->second && *known->second != file.text;
}

void AnswerFinder::note_edited(const HandedFiles& files, const HandedFile* answer,
                               std::vector<std::string>& notes) {
  std::vector<std::string> edited;
  const std::string filled = "exercises/" + exercise_.folder() + "/exercise.cpp";
  for (const HandedFile& file : files.sources) {
    const std::string path = ours(file.path, answer);
    if (!path.empty() && path != filled && differs(file, path)) edited.push_back(path);
  }
  if (!edited.empty())
    notes.push_back("not as we gave it out, so ours was used: " + listed(edited));
}

Submission AnswerFinder::find(HandedIn& student) {
  Submission submission;
  submission.id = student.id;
  submission.name = student.name;
  submission.notes = student.files.notes;
  const HandedFile* answer = choose(student.files, submission.notes);
  note_edited(student.files, answer, submission.notes);
  if (student.marked_late) submission.notes.emplace_back("the platform marked it late");
  if (answer != nullptr) {
    submission.found = true;
    submission.answer = answer->text;
    if (!student.when) student.when = answer->when;
  }
  return submission;
}

}  // namespace pipeline
