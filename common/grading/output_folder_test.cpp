#include "grading/output_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

mode_t mode_of(const std::filesystem::path& path) {
  struct stat what = {};
  EXPECT_EQ(stat(path.c_str(), &what), 0) << path;
  return what.st_mode & 0777U;
}

TEST(OutputFolder, IsForItsOwnerAlone) {
  const ScratchFolder scratch;
  const auto folder = OutputFolder::open(scratch / "a/b/out");
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(mode_of(folder->path()), 0700U);
}

TEST(OutputFolder, AdmitsOneRunAtATime) {
  const ScratchFolder scratch;
  const auto open_elsewhere = [&] {
    const pid_t child = fork();
    if (child == 0) _exit(OutputFolder::open(scratch / "out").has_value() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 0;
  };
  {
    const auto first = OutputFolder::open(scratch / "out");
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(open_elsewhere());
  }
  EXPECT_TRUE(open_elsewhere());
}

TEST(OutputFolder, RefusesWhatCannotBeAFolder) {
  const ScratchFolder scratch;
  ASSERT_TRUE(write_file(scratch / "file", "").has_value());
  EXPECT_FALSE(OutputFolder::open(scratch / "file").has_value());
  EXPECT_FALSE(OutputFolder::open(scratch / "file/out").has_value());
}

TEST(Seed, IsDrawnOnceAndKeptForItsOwnerAlone) {
  const ScratchFolder scratch;
  const auto drawn = keep_seed(scratch / "seed", "");
  ASSERT_TRUE(drawn.has_value());
  EXPECT_EQ(drawn->size(), 32U);
  EXPECT_EQ(mode_of(scratch / "seed"), 0600U);
  EXPECT_EQ(*keep_seed(scratch / "seed", ""), *drawn);
  EXPECT_NE(*keep_seed(scratch / "other", ""), *drawn);
}

TEST(Seed, IsWhatWasGivenFromThenOn) {
  const ScratchFolder scratch;
  ASSERT_TRUE(keep_seed(scratch / "seed", "").has_value());
  EXPECT_EQ(*keep_seed(scratch / "seed", "winter term"), "winter term");
  EXPECT_EQ(*keep_seed(scratch / "seed", ""), "winter term");
  EXPECT_EQ(mode_of(scratch / "seed"), 0600U);
  EXPECT_FALSE(keep_seed(scratch / "nowhere/seed", "").has_value());
}

}  // namespace
}  // namespace pipeline
