#include "classroom/files.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>

#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder)) {
    ++count;
  }
  return count;
}

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingBeside) {
  const ScratchFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "a long first text"));
  ASSERT_TRUE(write_file(folder / "a", "short"));
  EXPECT_EQ(read_file(folder / "a"), "short");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(WriteFile, RefusesAFolderThatIsNotThereAndMakesNothing) {
  const ScratchFolder folder;
  const auto written = write_file(folder / "none" / "a", "text");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().what.find("No such file or directory"), std::string::npos);
  EXPECT_EQ(entries(folder.path()), 0U);
}

TEST(WriteFile, RefusesAFolderInPlaceOfTheFile) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "a");
  EXPECT_FALSE(write_file(folder / "a", "text"));
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(WriteFile, WritesThroughALinkAndKeepsIt) {
  const ScratchFolder folder;
  ASSERT_TRUE(write_file(folder / "target", "old"));
  std::filesystem::create_symlink("target", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
}

TEST(WriteFile, LeavesDevicesWhatTheyAre) {
  ASSERT_TRUE(write_file("/dev/null", "text"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteFile, SaysWhenADeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_FALSE(write_file("/dev/full", "text"));
}

TEST(ReadFile, RefusesAFolderAndWhatIsNotThere) {
  const ScratchFolder folder;
  EXPECT_FALSE(read_file(folder.path()));
  EXPECT_FALSE(read_file(folder / "none"));
}

}  // namespace
}  // namespace pipeline
