#include "classroom/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/workspace.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// Whether another program could have the lock now.
bool is_free(const fs::path& file) {
  const int other = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  const bool free = flock(other, LOCK_EX | LOCK_NB) == 0;
  close(other);
  return free;
}

TEST(FileLock, KeepsOtherProgramsOutUntilItGoes) {
  const ScratchFolder folder;
  {
    const FileLock lock(folder / "lock");
    EXPECT_TRUE(lock.held());
    EXPECT_FALSE(is_free(folder / "lock"));
  }
  EXPECT_TRUE(is_free(folder / "lock"));
}

TEST(FileLock, IsTakenAgainByWhoHoldsIt) {
  const ScratchFolder folder;
  const FileLock outer(folder / "lock");
  {
    const FileLock inner(folder.path() / "." / "lock");
    EXPECT_TRUE(inner.held());
  }
  EXPECT_FALSE(is_free(folder / "lock"));
}

TEST(FileLock, LetsOtherThreadsWait) {
  const ScratchFolder folder;
  std::atomic<bool> asked = false;
  std::atomic<bool> released = false;
  std::optional<FileLock> lock(std::in_place, folder / "lock");
  std::thread other([&] {
    const FileLock theirs(folder / "lock", [&] {
      asked = true;
      return false;
    });
    EXPECT_TRUE(theirs.held());
    EXPECT_TRUE(released);
  });
  while (!asked) std::this_thread::yield();
  released = true;
  lock.reset();
  other.join();
}

TEST(FileLock, IsNotWaitedForWhereItIsNotWantedAnyMore) {
  const ScratchFolder folder;
  const int other = open((folder / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  int asked = 0;
  EXPECT_FALSE(FileLock(folder / "lock", [&] { return ++asked == 3; }).held());
  EXPECT_EQ(asked, 3);
  close(other);
  EXPECT_TRUE(FileLock(folder / "lock").held());
}

TEST(FileLock, IsNotHeldWhereThereCanBeNone) {
  EXPECT_FALSE(FileLock("/nowhere/lock").held());
}

TEST(FileLock, IsNotHeldByProgramsThatAreStarted) {
  const ScratchFolder folder;
  const std::string start = "sleep 60 >/dev/null 2>&1 & echo $!";
  std::string started;
  {
    const FileLock lock(folder / "lock");
    started = run_process({"sh", "-c", start}).output;
  }
  EXPECT_TRUE(is_free(folder / "lock"));
  run_process({"sh", "-c", "kill " + started});
}

/// A project whose target says when it begins and ends.
class BuildLock : public testing::Test {
 protected:
  BuildLock() {
    EXPECT_TRUE(write_file(
        root_ / "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n"
        "add_custom_target(one COMMAND sh ${CMAKE_SOURCE_DIR}/one.sh VERBATIM)\n"));
    const auto configured = run_process(
        {"cmake", "-G", "Ninja", "-S", root_.path().string(), "-B", build().string()});
    EXPECT_EQ(configured.exit_code, 0) << configured.output;
  }
  fs::path build() const { return root_ / "build"; }
  void target_does(const std::string& script) {
    ASSERT_TRUE(write_file(root_ / "one.sh", script));
  }

  const ScratchFolder root_;
};

TEST_F(BuildLock, IsHeldWhileSomethingIsBuiltAndNoLonger) {
  // What `flock -n` comes to for another program.
  target_does("flock -n ../build/.lock true && exit 1\nexit 0\n");
  const BuildResult built = build_targets(build(), {"one"});
  EXPECT_TRUE(built.good) << built.output;
  EXPECT_TRUE(is_free(build_lock(build())));
}

TEST_F(BuildLock, OfOneWhoHasItLetsThatOneBuild) {
  target_does("exit 0\n");
  const FileLock lock(build_lock(build()));
  EXPECT_TRUE(build_targets(build(), {"one"}).good);
  EXPECT_FALSE(is_free(build_lock(build())));
}

TEST_F(BuildLock, KeepsTwoBuildsApart) {
  // mkdir fails where another is at it.
  target_does("mkdir ../at_it && sleep 0.2 && rmdir ../at_it\n");
  std::thread other([&] { EXPECT_TRUE(build_targets(build(), {"one"}).good); });
  EXPECT_TRUE(build_targets(build(), {"one"}).good);
  other.join();
}

TEST_F(BuildLock, IsNotWaitedForByABuildThatIsNotWanted) {
  target_does("exit 0\n");
  const int other = open(build_lock(build()).c_str(), O_CREAT | O_RDWR, 0644);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_FALSE(
      build_targets(build(), {"one"}, OnError::Stop, [] { return true; }).good);
  close(other);
}

TEST(LacksTarget, KnowsTheWordsOfNinjaAndOfMake) {
  EXPECT_TRUE(
      lacks_target("ninja: error: unknown target 'lab_wasm', did you …", "lab_wasm"));
  EXPECT_TRUE(
      lacks_target("make: *** No rule to make target 'lab_wasm'.  Stop.", "lab_wasm"));
  EXPECT_FALSE(lacks_target("error: lab_wasm", "lab_wasm"));
}

}  // namespace
}  // namespace pipeline
