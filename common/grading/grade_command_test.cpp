// `./workbook grade` as instructors meet it: what it refuses, and a whole class in the
// sandbox that is best here.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/lines.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"
#include "grading/crowd.hpp"
#include "grading/sandbox.hpp"
#include "grading/tier_here.hpp"
#include "grading/verdict.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

const std::string kWorkbook = WORKBOOK_BUILD "/workbook";
const fs::path kRoot = WORKBOOK_ROOT;

ProcessResult workbook(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kWorkbook);
  ProcessOptions options;
  options.environment = {{"LC_ALL", "C.UTF-8"}};
  return run_process(arguments, options);
}

class GradeRefusal : public testing::Test {
 protected:
  GradeRefusal() {
    fs::create_directories(scratch_ / "class/student-01");
    put("class/student-01/exercise.cpp", "// exercises/01_ticks/README.md\n");
    put("bad.csv", "a,b\n1,2\n");
  }
  void put(const std::string& name, std::string_view text) {
    ASSERT_TRUE(write_file(scratch_ / name, text).has_value());
  }
  std::string at(const std::string& name) { return (scratch_ / name).string(); }
  void expect(std::vector<std::string> arguments, const std::string& says) {
    arguments.insert(arguments.begin(), "grade");
    const ProcessResult result = workbook(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.output.find(says), std::string::npos) << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2)
        << result.output;
  }

  ScratchFolder scratch_;
};

TEST_F(GradeRefusal, SaysWhatIsWrongWithTheInput) {
  fs::create_directories(scratch_ / "empty");
  expect({}, "dir is required");
  expect({at("nowhere")}, "there is no folder");
  expect({at("empty")}, "no submission says for which exercise it is");
  expect({at("empty"), "--exercise", "01"}, "there is no submission in");
  expect({at("class"), "--exercise", "77"}, "77");
  expect({at("class"), "--out", at("class/out")}, "among the submissions");
  expect({at("class"), "--hidden", at("nowhere")}, "there is no folder");
  expect({at("class"), "--due", "tomorrow"}, "--due is 'tomorrow'");
  expect({at("class"), "--jobs", "0"}, "--jobs");
  expect({at("class"), "--roster", at("nowhere.csv")}, "cannot read");
  expect({at("class"), "--roster", at("bad.csv")}, "no column of ids");
  expect({at("class"), "--tier", "none"}, "none");
  expect({at("class"), "--tier", "bubblewrap", "--unsafe"}, "excludes");
  expect({kRoot.string()}, "is a checkout of the workbook");
  EXPECT_FALSE(fs::exists(scratch_ / "class-grades"));
}

/// Empty where answers can be judged here.
std::string why_no_judge() {
  const auto tier = tier_here();
  return tier ? "" : tier.error().what;
}

TEST(Grade, HelpsWithinEightyColumns) {
  const ProcessResult result = workbook({"grade", "--help"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("Usage"), std::string::npos) << result.output;
  for (const std::string& line : lines_of(result.output)) EXPECT_LE(columns(line), 80U);
}

TEST(Grade, AnswersARosterAndCountsLateDaysBesideThePoints) {
  if (const std::string why = why_no_judge(); !why.empty()) GTEST_SKIP() << why;
  const ScratchFolder scratch;
  const auto put = [&](const std::string& path, const std::string& text, int hours) {
    const fs::path file = scratch / path;
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(write_file(file, text).has_value());
    // Handed in so many hours after the due time below.
    constexpr std::time_t kDue = 1772409540;
    const std::time_t when = kDue + std::time_t{hours} * 3600;
    const timespec times[2] = {{when, 0}, {when, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  };
  const std::string solution =
      read_file(kRoot / "solutions/01_ticks/exercise.cpp").value_or("");
  put("class/one@example.edu/exercise.cpp", solution, 36);
  put("class/student-02.cpp", "does not compile", -1);
  put("class/student-03/exercise.cpp", solution, 36);
  put("class/student-03/test.cpp", "easier", 0);
  put("class/stranger/exercise.cpp", solution, 0);
  put("roster.csv",
      "id,name,email,due\n"
      "s1,Student One,one@example.edu,\n"
      "s2,Student Two,student-02,\n"
      "s3,Student Three,student-03,2026-03-02T23:59:00Z\n"
      "s4,Student Four,,\n",
      0);
  const ProcessResult result = workbook({"grade", (scratch / "class").string(),
                                         "--roster", (scratch / "roster.csv").string(),
                                         "--due", "2026-03-01T23:59:00Z", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json json = parse_json(result.output);
  ASSERT_TRUE(json.is_object()) << result.output;
  const Json& students = json["submissions"];
  ASSERT_EQ(students.size(), 4U);
  EXPECT_EQ(json["exercise"], "01");  // as the files say
  EXPECT_EQ(students[0]["id"], "s1");
  EXPECT_EQ(students[0]["name"], "Student One");
  EXPECT_EQ(students[0]["status"], "ok");
  EXPECT_EQ(students[0]["points"], json["points_possible"]);
  EXPECT_EQ(students[0]["late_days"], 1.5);
  EXPECT_EQ(students[1]["status"], "compile");
  EXPECT_EQ(students[1]["late_days"], 0);
  EXPECT_EQ(students[2]["points"], json["points_possible"]);
  EXPECT_EQ(students[2]["late_days"], 0.5);  // its own due time
  EXPECT_EQ(students[2]["notes"][0],
            "not as we gave it out, so ours was used: exercises/01_ticks/test.cpp");
  EXPECT_EQ(students[3]["status"], "missing");
  EXPECT_EQ(json["notes"][0], "stranger is not in the roster: not graded");
  EXPECT_EQ(json["judged"], 2);  // the same answer once
  EXPECT_TRUE(fs::exists(scratch / "class-grades/grades.csv"));
}

/// A class of thirty, or of three hundred with WORKBOOK_FULL, a tenth of them attacks.
class WholeClass : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_judge(); !why.empty()) GTEST_SKIP() << why;
    const auto made =
        make_crowd(kRoot, {"01", "ticks"}, in_full_tier() ? 300 : 30, 20261130);
    ASSERT_TRUE(made.has_value()) << made.error().what;
    crowd_ = *made;
    ASSERT_TRUE(write_crowd(crowd_, scratch_ / "class").has_value());
  }

  std::vector<std::string> command(const std::string& out) {
    // Patient, since other tests may run beside this one.
    return {"grade",      (scratch_ / "class").string(),
            "--exercise", "01",
            "--seed",     "secret",
            "--patience", "3",
            "--out",      (scratch_ / out).string(),
            "--json"};
  }
  Json grade(const std::string& out) {
    const auto begun = std::chrono::steady_clock::now();
    const ProcessResult result = workbook(command(out));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    // To be read, on a machine that does nothing else; no test depends on it.
    if (in_full_tier())
      std::printf("%zu submissions: %.1f s\n", crowd_.size(), took.count());
    EXPECT_EQ(result.exit_code, 0) << result.output;
    Json json = parse_json(result.output);
    EXPECT_TRUE(json.is_object()) << result.output;
    return json;
  }
  /// Starts it, sends it `signal` once so many verdicts are kept, and returns its exit
  /// code as a shell gives it.
  int grade_until(const std::string& out, int verdicts, int signal);

  /// All that it wrote but what holds times, by path.
  std::map<std::string, std::string> written(const std::string& out) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_ / out)) {
      const fs::path path = entry.path().lexically_relative(scratch_ / out);
      if (entry.is_directory() || path == "times.csv" || *path.begin() == "cache")
        continue;
      files[path.string()] = read_file(entry.path()).value_or("unreadable");
    }
    return files;
  }

  ScratchFolder scratch_;
  std::vector<CrowdMember> crowd_;
};

/// File by file, so that a difference can be read.
void expect_equal(const std::map<std::string, std::string>& files,
                  const std::map<std::string, std::string>& expected) {
  EXPECT_EQ(files.size(), expected.size());
  for (const auto& [name, content] : expected) {
    const auto found = files.find(name);
    ASSERT_NE(found, files.end()) << name;
    EXPECT_EQ(found->second, content) << name;
  }
}

int verdicts_in(const fs::path& out) {
  std::error_code error;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(out / "cache", error)) {
    if (entry.path().extension() == ".json") ++count;
  }
  return count;
}

int WholeClass::grade_until(const std::string& out, int verdicts, int signal) {
  std::vector<std::string> arguments = command(out);
  arguments.insert(arguments.begin(), kWorkbook);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr) {
      _exit(126);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  pid_t ended = 0;
  while (verdicts_in(scratch_ / out) < verdicts && ended == 0) {
    ended = waitpid(child, &status, WNOHANG);
    usleep(5000);
  }
  if (ended == 0) {
    kill(child, signal);
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What each kind of member must come to, whatever the tests draw.
void expect_credit(const CrowdMember& member, const Json& graded, int possible) {
  const std::string status = graded["status"];
  const int points = graded["points"];
  switch (member.handed) {
    case Handed::Solution:
      EXPECT_EQ(points, possible) << member.id;
      break;
    case Handed::Starter:
      EXPECT_EQ(points, 0) << member.id;
      break;
    case Handed::Mistake:
      EXPECT_LT(points, possible) << member.id << " " << member.what;
      EXPECT_EQ(status, "ok") << member.id << " " << member.what;
      break;
    case Handed::Unfinished:
      EXPECT_EQ(status, "compile") << member.id;
      break;
    case Handed::Missing:
      EXPECT_EQ(status, "missing") << member.id;
      break;
    case Handed::Partial:
    case Handed::Attack:  // attack_test.cpp says what each may earn
      break;
  }
}

TEST_F(WholeClass, EndsWithTheSameTableHoweverOftenItIsKilledAndJudgesNothingTwice) {
  const Json once = grade("once");
  ASSERT_EQ(once["submissions"].size(), crowd_.size());
  const int possible = once["points_possible"];
  EXPECT_GT(possible, 0);
  for (std::size_t i = 0; i < crowd_.size(); ++i) {
    EXPECT_EQ(once["submissions"][i]["id"], crowd_[i].id);
    expect_credit(crowd_[i], once["submissions"][i], possible);
  }
  const int judged = once["judged"];
  EXPECT_GT(judged, 0);
  EXPECT_EQ(once["reused"], 0);

  // Killed while the tests are built, and after some verdicts more each time.
  for (const int share : {0, 10, 40, 75}) {
    EXPECT_EQ(grade_until("killed", judged * share / 100, SIGKILL), 128 + SIGKILL)
        << share;
  }
  EXPECT_EQ(grade_until("killed", judged * 85 / 100, SIGINT), 130);
  Json killed = grade("killed");
  EXPECT_GT(killed["reused"], 0);
  EXPECT_LT(killed["judged"], judged);
  EXPECT_EQ(killed["submissions"], once["submissions"]);

  // Two runs with one seed differ in nothing but times.
  const auto files = written("once");
  EXPECT_GT(files.size(), crowd_.size());
  expect_equal(written("killed"), files);

  // Unchanged: nothing is judged, and every file is as it was, times too.
  const std::string times = read_file(scratch_ / "once/times.csv").value_or("");
  const Json again = grade("once");
  EXPECT_EQ(again["judged"], 0);
  EXPECT_EQ(again["submissions"], once["submissions"]);
  expect_equal(written("once"), files);
  EXPECT_EQ(read_file(scratch_ / "once/times.csv").value_or(""), times);

  // One answer changed: one is judged.
  ASSERT_TRUE(write_file(scratch_ / "class" / crowd_[0].id / "exercise.cpp",
                         "// changed\n" + crowd_[0].answer)
                  .has_value());
  EXPECT_EQ(grade("once")["judged"], 1);
}

}  // namespace
}  // namespace pipeline
