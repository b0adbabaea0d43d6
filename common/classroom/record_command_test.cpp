// `workbook record` in a checkout of its own, whose chapter is a script.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/record.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// A report of chapter 01, to the file that --report names.
constexpr const char* kReports = R"sh(cat >"$2" <<end
{"chapter": "01", "name": "x", "level": "symbolic", "rows":
 [{"what": "ticks", "predicted": 6, "measured": 6, "ratio": 1, "headline": true}]}
end
)sh";

class RecordCommand : public testing::Test {
 protected:
  RecordCommand() : at_{root_.path(), root_ / "build"} {
    fs::create_directories(chapter());
    fs::create_directories(at_.build);
    put(chapter() / "README.md", "# 01 · x\n");
    put(chapter() / "recorded.json", "the old one");
    build_by("true");
  }

  fs::path chapter() const { return root_ / "chapters/01_x"; }
  static void put(const fs::path& file, const std::string& text) {
    ASSERT_TRUE(write_file(file, text));
  }
  /// What building the chapter does.
  void build_by(const std::string& command) {
    put(root_ / "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n"
        "add_custom_target(ch01 COMMAND " +
            command + ")\n");
    const auto configured =
        run_process({"cmake", "-G", "Ninja", "-S", root_.path().string(), "-B",
                     at_.build.string()});
    ASSERT_EQ(configured.exit_code, 0) << configured.output;
  }
  int record_by(const std::string& script) {
    put(at_.build / "ch01", "#!/bin/sh\n" + script);
    fs::permissions(at_.build / "ch01", fs::perms::owner_all);
    return record_command(at_, "01");
  }
  std::string recorded() { return read_file(chapter() / "recorded.json").value_or(""); }

  const ScratchFolder root_;
  const Workspace at_;
};

TEST_F(RecordCommand, KeepsWhatTheChapterReports) {
  ASSERT_EQ(record_by(kReports), kGood);
  const auto record = parse_record(recorded());
  ASSERT_TRUE(record) << record.error().what;
  EXPECT_EQ(record->rows[0].what, "ticks");
  EXPECT_FALSE(fs::exists(at_.build / "ch01.record.json"));
}

TEST_F(RecordCommand, EndsAsTheChapterDoesAndKeepsTheOldRecord) {
  for (const int code : {kFailed, kBadUsage, kAbsent}) {
    EXPECT_EQ(record_by(kReports + ("exit " + std::to_string(code)) + "\n"), code);
    EXPECT_EQ(recorded(), "the old one");
  }
}

TEST_F(RecordCommand, EndsWith1WhereTheChapterDoesNotCompile) {
  build_by("false");
  EXPECT_EQ(record_by(kReports), kFailed);
  EXPECT_EQ(recorded(), "the old one");
}

TEST_F(RecordCommand, RefusesAReportThatIsNone) {
  EXPECT_EQ(record_by("true\n"), kBadUsage);
  EXPECT_EQ(recorded(), "the old one");
}

}  // namespace
}  // namespace pipeline
