#include "data/idx.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace pipeline {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A file of this test, gone when the test ends.
class IdxStream : public testing::Test {
 protected:
  IdxStream() : path_(testing::TempDir() + "idx_test_" + name() + ".gz") {}
  ~IdxStream() override { std::filesystem::remove(path_); }

  /// Three items of 2 x 4 bytes, written in unequal pieces.
  void write(const std::string& path) {
    auto writer = IdxWriter::create(path, {3, 2, 4});
    ASSERT_TRUE(writer) << writer.error().what;
    const std::span<const std::uint8_t> all(bytes_);
    ASSERT_TRUE(writer->write(all.first(5)));
    ASSERT_TRUE(writer->write({}));
    ASSERT_TRUE(writer->write(all.subspan(5)));
    ASSERT_TRUE(writer->close());
  }
  static std::string name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  std::string path_;
  Bytes bytes_ = [] {
    Bytes bytes(24);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{240});
    return bytes;
  }();
};

Bytes whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(IdxStream, ReadsInPiecesWhatWasWrittenInPieces) {
  write(path_);
  auto reader = IdxReader::open(path_, 3);
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(reader->sizes(), (std::vector<std::int32_t>{3, 2, 4}));
  Bytes read(24);
  ASSERT_TRUE(reader->read(std::span(read).first(16)));
  ASSERT_TRUE(reader->read(std::span(read).subspan(16)));
  EXPECT_TRUE(reader->expect_end());
  EXPECT_EQ(read, bytes_);
  EXPECT_EQ(read_idx(path_, 3)->bytes, bytes_);
}

TEST_F(IdxStream, WritesTheSameBytesEachTime) {
  write(path_);
  const Bytes once = whole_file(path_);
  write(path_);
  EXPECT_EQ(whole_file(path_), once);
}

TEST_F(IdxStream, RefusesToReadOnBehindTheEnd) {
  write(path_);
  auto reader = IdxReader::open(path_, 3);
  ASSERT_TRUE(reader);
  Bytes read(25);
  const auto ended = reader->read(read);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().what, path_ + " ends early: it is truncated");
}

TEST_F(IdxStream, RefusesAPlaceWhereNothingCanBeWritten) {
  const auto nowhere = IdxWriter::create(path_ + "/file", {1});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().what,
            path_ + "/file cannot be written: No such file or directory");
}

TEST_F(IdxStream, SaysWhenThereIsNoSpaceLeft) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "not run: no /dev/full";
  auto writer = IdxWriter::create("/dev/full", {1000, 1000});
  ASSERT_TRUE(writer);
  Bytes noise(1000000);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : noise) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  auto written = writer->write(noise);
  if (written) written = writer->close();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what,
            "/dev/full cannot be written: No space left on device");
}

}  // namespace
}  // namespace pipeline
