#include "classroom/file_watch.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
using Changed = std::vector<std::size_t>;

class FileWatchOf : public testing::Test {
 protected:
  FileWatchOf() {
    for (const char* name : {"one", "two"}) {
      fs::create_directories(folder_ / name);
      save(folder_ / name / "exercise.cpp", "a");
    }
  }
  static void save(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  fs::path one() const { return folder_ / "one" / "exercise.cpp"; }
  fs::path two() const { return folder_ / "two" / "exercise.cpp"; }

  ScratchFolder folder_;
};

TEST_F(FileWatchOf, NothingSaysNothing) {
  FileWatch watch({one(), two()});
  EXPECT_EQ(watch.changed(), Changed{});
  save(folder_ / "one" / "notes", "beside it");
  EXPECT_EQ(watch.changed(), Changed{});
}

TEST_F(FileWatchOf, AFileThatIsWrittenInPlace) {
  FileWatch watch({one(), two()});
  save(two(), "longer");
  EXPECT_EQ(watch.changed(), Changed{1});
  EXPECT_EQ(watch.changed(), Changed{});
}

TEST_F(FileWatchOf, AFileThatIsReplacedByAnother) {
  FileWatch watch({one(), two()});
  save(folder_ / "one" / "exercise.cpp.new", "b");
  fs::rename(folder_ / "one" / "exercise.cpp.new", one());
  EXPECT_EQ(watch.changed(), Changed{0});
  // As vim does it: the old one is the backup, the new one a new file.
  fs::rename(one(), folder_ / "one" / "exercise.cpp~");
  save(one(), "c");
  EXPECT_EQ(watch.changed(), Changed{0});
  EXPECT_EQ(watch.changed(), Changed{});
}

TEST_F(FileWatchOf, AFileThatGoesAndComesBack) {
  FileWatch watch({one(), two()});
  fs::remove(one());
  EXPECT_EQ(watch.changed(), Changed{0});
  save(one(), "a");
  EXPECT_EQ(watch.changed(), Changed{0});
}

TEST_F(FileWatchOf, AFolderThatIsReplacedWithItsFile) {
  FileWatch watch({one(), two()});
  fs::remove_all(folder_ / "one");
  EXPECT_EQ(watch.changed(), Changed{0});
  fs::create_directories(folder_ / "one");
  save(one(), "anew");
  EXPECT_EQ(watch.changed(), Changed{0});
  save(one(), "and longer");
  EXPECT_EQ(watch.changed(), Changed{0});
}

}  // namespace
}  // namespace pipeline
