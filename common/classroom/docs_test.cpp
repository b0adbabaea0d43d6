// What becomes of the site that is there when no new one can be made. That one can is
// the business of docs_test_main.cpp.
#include "classroom/docs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// A checkout with a site, but nothing to make one of.
class Docs : public testing::Test {
 protected:
  Docs() : at_{root_.path(), root_ / "build"} {
    put("build/docs/html/index.html", "old");
  }

  void put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    ASSERT_TRUE(write_file(root_ / file, text));
  }
  /// A build folder of a project that says this.
  void configure(const std::string& project) {
    put("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n" + project);
    const auto configured =
        run_process({"cmake", "-G", "Ninja", "-S", root_.path().string(), "-B",
                     at_.build.string()});
    ASSERT_EQ(configured.exit_code, 0) << configured.output;
  }
  DocsResult make() {
    DocsResult made = make_docs(at_);
    EXPECT_FALSE(made.good);
    EXPECT_NE(made.error.what, "");
    EXPECT_EQ(read_file(root_ / "build/docs/html/index.html").value_or(""), "old");
    return made;
  }
  /// Why the pages cannot be made by anyone here; else empty.
  static std::string lacks() {
    const DocsResult made = make_docs({"/nowhere", "/nowhere/build"});
    return made.error.kind == ErrorKind::Absent ? made.error.what : "";
  }

  const ScratchFolder root_;
  const Workspace at_;
};

TEST_F(Docs, KeepTheOldSiteWhereThereAreNoPages) { EXPECT_FALSE(make().faulty); }

TEST_F(Docs, KeepTheOldSiteWhereTheLabHasNoCompiler) {
  if (const std::string why = lacks(); !why.empty()) GTEST_SKIP() << why;
  put("docs/lab/files.txt", "lab.js\n");
  configure("");
  const DocsResult made = make();
  EXPECT_EQ(made.error.kind, ErrorKind::Absent);
  EXPECT_EQ(made.error.what, "the lab's module has no compiler here");
}

TEST_F(Docs, KeepTheOldSiteWhereSomethingDoesNotCompile) {
  if (const std::string why = lacks(); !why.empty()) GTEST_SKIP() << why;
  put("docs/lab/files.txt", "lab.js\n");
  configure("add_custom_target(lab_wasm COMMAND false)\n");
  EXPECT_TRUE(make().faulty);
}

TEST_F(Docs, KeepTheOldSiteWhereDoxygenFails) {
  if (const std::string why = lacks(); !why.empty()) GTEST_SKIP() << why;
  put("docs/lab/files.txt", "lab.js\n");
  put("docs/theme/header.html", "<!-- pages -->");
  configure("add_custom_target(lab_wasm)\n");
  const DocsResult made = make();
  EXPECT_TRUE(made.faulty);
  EXPECT_NE(made.output, "");
}

// The script ./workbook installs what make_docs then misses.
TEST(DocsPackages, AreThoseOfTheScript) {
  const auto script = read_file(fs::path(WORKBOOK_ROOT) / "workbook");
  ASSERT_TRUE(script);
  std::string words = *script;
  for (char& c : words) c = c == '\n' ? ' ' : c;
  const std::size_t begin = words.find("site=(");
  ASSERT_NE(begin, std::string::npos);
  const std::string site = words.substr(begin, words.find(')', begin) - begin);
  std::istringstream packages(WORKBOOK_WASM_PACKAGES);
  for (std::string package; packages >> package;) {
    EXPECT_NE((site + " ").find(" " + package + " "), std::string::npos) << package;
  }
}

}  // namespace
}  // namespace pipeline
