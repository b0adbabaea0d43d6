#include "grading/handed.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "grading/archive.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(write_file(path, text).has_value());
}

void put_zip(const fs::path& path, const std::vector<ArchiveFile>& files) {
  const auto zip = make_zip(files);
  ASSERT_TRUE(zip.has_value());
  put(path, *zip);
}

std::vector<std::string> paths(const HandedFiles& files) {
  std::vector<std::string> result;
  for (const HandedFile& file : files.sources) result.push_back(file.path);
  return result;
}

TEST(Handed, ReadsTheSourcesOfAFolderInOrder) {
  const ScratchFolder scratch;
  put(scratch / "student-01/b/exercise.cpp", "b");
  put(scratch / "student-01/a.hpp", "a");
  put(scratch / "student-01/notes.txt", "no source");
  put(scratch / "student-01/.git/hidden.cpp", "hidden");
  put(scratch / "student-01/build/made.cpp", "made");
  const HandedFiles files = read_handed(scratch.path(), "student-01");
  EXPECT_EQ(paths(files), (std::vector<std::string>{"a.hpp", "b/exercise.cpp"}));
  EXPECT_EQ(files.sources[1].text, "b");
  EXPECT_TRUE(files.sources[1].when.has_value());
  EXPECT_EQ(files.notes, std::vector<std::string>{});
}

TEST(Handed, ASingleFileIsItsOwnPath) {
  const ScratchFolder scratch;
  put(scratch / "student-01.cpp", "text");
  EXPECT_EQ(paths(read_handed(scratch.path(), "student-01.cpp")),
            std::vector<std::string>{"student-01.cpp"});
}

TEST(Handed, ReadsAZipAndAZipWithinAFolder) {
  const ScratchFolder scratch;
  const std::vector<ArchiveFile> files = {{"x/exercise.cpp", "text", false},
                                          {"x/__MACOSX/exercise.cpp", "no", false}};
  put_zip(scratch / "student-01.zip", files);
  put_zip(scratch / "student-02/work.ZIP", files);
  for (const char* name : {"student-01.zip", "student-02"}) {
    const HandedFiles read = read_handed(scratch.path(), name);
    EXPECT_EQ(paths(read), std::vector<std::string>{"x/exercise.cpp"}) << name;
    EXPECT_EQ(read.sources[0].text, "text");
  }
}

TEST(Handed, OpensNothingButPlainFiles) {
  const ScratchFolder scratch;
  put(scratch / "secret.cpp", "secret");
  const fs::path folder = scratch / "s";
  fs::create_directories(folder);
  fs::create_symlink("../secret.cpp", folder / "exercise.cpp");
  fs::create_directory_symlink("..", folder / "up");
  // Opening it would wait forever for somebody to write.
  ASSERT_EQ(mkfifo((folder / "pipe.cpp").c_str(), 0600), 0);
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const fs::path here = fs::current_path();
  fs::current_path(folder);  // its path may be longer than an address can be
  std::string("socket.cpp").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  fs::current_path(here);
  close(server);
  const HandedFiles files = read_handed(scratch.path(), "s");
  EXPECT_TRUE(files.sources.empty());
  EXPECT_EQ(files.notes,
            (std::vector<std::string>{"exercise.cpp is a symbolic link: not opened",
                                      "pipe.cpp is a named pipe: not opened",
                                      "socket.cpp is a socket: not opened",
                                      "up is a symbolic link: not opened"}));
  fs::create_directory_symlink("/etc", scratch / "t");
  EXPECT_EQ(read_handed(scratch.path(), "t").notes,
            std::vector<std::string>{"t is a symbolic link: not opened"});
}

TEST(Handed, RefusesWhatIsTooLargeAndKeepsTheRest) {
  const ScratchFolder scratch;
  put(scratch / "s/exercise.cpp", std::string(kMostFileBytes + 1, ' '));
  put(scratch / "s/other.cpp", std::string(kMostFileBytes, ' '));
  const HandedFiles files = read_handed(scratch.path(), "s");
  EXPECT_EQ(paths(files), std::vector<std::string>{"other.cpp"});
  EXPECT_EQ(files.notes, std::vector<std::string>{
                             "exercise.cpp is damaged, or larger than 1 MB: not read"});
}

TEST(Handed, AZipBombIsReadNoFurtherThanItsLimits) {
  const ScratchFolder scratch;
  // 30 MB of zeros in a few kilobytes, as one file and as many.
  std::vector<ArchiveFile> files = {
      {"a.cpp", std::string(30 * kMostFileBytes, '\0'), false}};
  for (int i = 0; i < 20; ++i) {
    files.push_back(
        {"b" + std::to_string(i) + ".cpp", std::string(kMostFileBytes, '\0'), false});
  }
  put_zip(scratch / "s.zip", files);
  EXPECT_LT(fs::file_size(scratch / "s.zip"), kMostFileBytes);
  const HandedFiles read = read_handed(scratch.path(), "s.zip");
  EXPECT_EQ(read.sources.size(), kMostSourceBytes / kMostFileBytes);
  EXPECT_EQ(read.notes.size(), 5U);
  EXPECT_EQ(read.notes.front(), "a.cpp is damaged, or larger than 1 MB: not read");
  EXPECT_EQ(read.notes.back(), "b19.cpp is one source too many: 16 MB are read");
}

TEST(Handed, CountsEntriesAndLooksNoDeeperThanItsLimit) {
  const ScratchFolder scratch;
  std::vector<ArchiveFile> files;
  files.reserve(kMostEntries + 5);
  for (int i = 0; i < kMostEntries + 5; ++i)
    files.push_back({std::to_string(i) + ".txt", "", false});
  put_zip(scratch / "many.zip", files);
  EXPECT_EQ(
      read_handed(scratch.path(), "many.zip").notes,
      std::vector<std::string>{"more than 20000 files: the rest was not looked at"});
  std::string deep = "deep";
  for (int i = 0; i <= kMostDepth; ++i) deep += "/d";
  put(scratch / deep / "exercise.cpp", "text");
  const HandedFiles read = read_handed(scratch.path(), "deep");
  EXPECT_TRUE(read.sources.empty());
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_TRUE(read.notes[0].ends_with("lies too deep: not looked at")) << read.notes[0];
}

TEST(Handed, NothingLeadsOutOfAZip) {
  const ScratchFolder scratch;
  put_zip(scratch / "s.zip", {{"../exercise.cpp", "up", false},
                              {"/tmp/exercise.cpp", "away", false},
                              {"a/../../exercise.cpp", "up", false},
                              {"a\\..\\exercise.cpp", "up", false},
                              {"./b/exercise.cpp", "text", false}});
  const HandedFiles read = read_handed(scratch.path(), "s.zip");
  EXPECT_EQ(paths(read), std::vector<std::string>{"./b/exercise.cpp"});
  EXPECT_EQ(read.notes.size(), 4U);
  EXPECT_EQ(read.notes[0], "../exercise.cpp in s.zip leads out of the zip: not read");
}

TEST(Handed, SaysThatAZipIsDamagedAndKeepsWhatCameBefore) {
  const ScratchFolder scratch;
  put(scratch / "no.zip", "this is no zip");
  const HandedFiles no = read_handed(scratch.path(), "no.zip");
  ASSERT_EQ(no.notes.size(), 1U);
  EXPECT_TRUE(no.notes[0].starts_with("no.zip is not a whole zip: ")) << no.notes[0];
  const auto whole = make_zip({{"exercise.cpp", std::string(5000, 'x'), false}});
  ASSERT_TRUE(whole.has_value());
  // Wherever it is cut off and whatever byte is wrong, reading it ends.
  for (std::size_t i = 0; i < whole->size(); ++i) {
    put(scratch / "cut.zip", whole->substr(0, i));
    EXPECT_LE(read_handed(scratch.path(), "cut.zip").sources.size(), 1U);
    std::string wrong = *whole;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x55);
    put(scratch / "wrong.zip", wrong);
    EXPECT_LE(read_handed(scratch.path(), "wrong.zip").sources.size(), 1U);
  }
}

TEST(Handed, NotesShowNothingThatATerminalWouldObey) {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "s");
  fs::create_symlink("/etc/passwd", scratch.path() / "s" / "\x1b[2Jexercise.cpp");
  const HandedFiles files = read_handed(scratch.path(), "s");
  ASSERT_EQ(files.notes.size(), 1U);
  EXPECT_EQ(files.notes[0].find('\x1b'), std::string::npos) << files.notes[0];
}

TEST(Archive, TheSameFilesGiveTheSameBytesAndAnotherReaderAgrees) {
  const std::vector<ArchiveFile> files = {{"a/run", "#!/bin/sh\n", true},
                                          {"b.txt", "text", false}};
  const auto one = make_zip(files);
  const auto two = make_zip(files);
  ASSERT_TRUE(one.has_value() && two.has_value());
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->substr(0, 4), "PK\3\4");
}

}  // namespace
}  // namespace pipeline
