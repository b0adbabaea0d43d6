#include "runtime/checkpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "layers/layer.hpp"
#include "layers/random.hpp"
#include "runtime/files_end_at.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone when the test ends.
class Checkpoints : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/checkpoints_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string folder_;
};

std::vector<float> drawn(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}

Checkpoint some_checkpoint(std::int64_t step) {
  const auto seed = static_cast<std::uint64_t>(step);
  return {.step = step,
          .network = {"linear 3 -> 5, 20 parameters", "relu, 0 parameters"},
          .settings = {{"seed", "1"}, {"batch", "16 x 128"}},
          .log = {{0, 5.545, 5.545}, {step, 2.1234567890123456, 1.0 / 3}},
          .unlogged = {0.1, 2.5e-17},
          .weights = drawn(1000, seed),
          .moments = drawn(2000, seed + 1),
          .state = drawn(3, seed + 2)};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string newest(const std::string& folder) {
  const auto path = newest_checkpoint(folder);
  EXPECT_TRUE(path) << path.error().what;
  return path && *path ? fs::path(**path).filename().string() : "none";
}

void expect_same(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.network, b.network);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.log, b.log);
  EXPECT_EQ(a.unlogged, b.unlogged);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.moments, b.moments);
  EXPECT_EQ(a.state, b.state);
}

std::string text_in(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

void replace_in(const fs::path& path, const std::string& from, const std::string& to) {
  std::string text = text_in(path);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  write_text(path, text.replace(at, from.size(), to));
}

Error refusal_of(const std::string& path) {
  const auto read = read_checkpoint(path);
  EXPECT_FALSE(read);
  return read ? Error{} : read.error();
}

TEST_F(Checkpoints, ComeBackBitForBit) {
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(500)));
  ASSERT_EQ(newest(folder_), "step-0000000500");
  const auto read = read_checkpoint(folder_ + "/step-0000000500");
  ASSERT_TRUE(read) << read.error().what;
  expect_same(*read, some_checkpoint(500));
}

TEST_F(Checkpoints, MayHoldNothing) {
  const Checkpoint nothing;
  ASSERT_TRUE(write_checkpoint(folder_, nothing));
  const auto read = read_checkpoint(folder_ + "/step-0000000000");
  ASSERT_TRUE(read) << read.error().what;
  expect_same(*read, nothing);
}

TEST_F(Checkpoints, AreKeptTwoByTwoAndFoundByNumber) {
  EXPECT_EQ(newest(folder_), "none");
  for (const std::int64_t step : {9, 10, 99'999}) {
    ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(step)));
  }
  EXPECT_EQ(names_in(folder_),
            (std::vector<std::string>{"step-0000000010", "step-0000099999"}));
  // Further than the digits of a name reach.
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(20'000'000'000)));
  EXPECT_EQ(newest(folder_), "step-20000000000");
}

TEST_F(Checkpoints, LeaveAloneWhatIsNotTheirs) {
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(1)));
  write_text(folder_ + "/notes.txt", "mine");
  fs::create_directory(folder_ + "/step-by-step");
  for (const std::int64_t step : {2, 3}) {
    ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(step)));
  }
  EXPECT_EQ(names_in(folder_),
            (std::vector<std::string>{"notes.txt", "step-0000000002", "step-0000000003",
                                      "step-by-step"}));
}

TEST_F(Checkpoints, HalfWrittenAreNoneAndGoWithTheNext) {
  fs::create_directories(folder_ + "/step-0000000700.unfinished");
  write_text(folder_ + "/step-0000000700.unfinished/weights.bin", "half");
  EXPECT_EQ(newest(folder_), "none");
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(600)));
  EXPECT_EQ(names_in(folder_), std::vector<std::string>{"step-0000000600"});
}

TEST_F(Checkpoints, OfAStepThatStandsAreNotReplaced) {
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(5)));
  Checkpoint other = some_checkpoint(6);
  other.step = 5;
  EXPECT_FALSE(write_checkpoint(folder_, other));
  const auto read = read_checkpoint(folder_ + "/step-0000000005");
  ASSERT_TRUE(read);
  expect_same(*read, some_checkpoint(5));
}

TEST_F(Checkpoints, BeforeStandWhereThereIsNoRoomForTheNext) {
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(1)));
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(2)));
  // In the manifest, the weights, the moments: 4000 and 8000 bytes.
  for (const rlim_t room : {0, 100, 3999, 4000, 7999}) {
    Expected<void> written;
    {
      const FilesEndAt limit(room);
      written = write_checkpoint(folder_, some_checkpoint(3));
    }
    ASSERT_FALSE(written) << room;
    EXPECT_NE(written.error().what.find("step-0000000003 cannot be written: File too"),
              std::string::npos)
        << written.error().what;
    EXPECT_NE(written.error().remedy.find("earlier checkpoints stand"),
              std::string::npos);
    EXPECT_EQ(names_in(folder_),
              (std::vector<std::string>{"step-0000000001", "step-0000000002"}));
    for (const std::int64_t step : {1, 2}) {
      const auto read =
          read_checkpoint(folder_ + "/step-000000000" + std::to_string(step));
      ASSERT_TRUE(read) << read.error().what;
      expect_same(*read, some_checkpoint(step));
    }
  }
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(3)));
  EXPECT_EQ(newest(folder_), "step-0000000003");
}

TEST_F(Checkpoints, AreNotWrittenWhereThereIsNoFolder) {
  write_text(folder_, "a file");
  EXPECT_FALSE(write_checkpoint(folder_, some_checkpoint(1)));
  EXPECT_EQ(text_in(folder_), "a file");
  const auto found = newest_checkpoint(folder_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what,
            "the checkpoint folder " + folder_ + " is not a folder");
}

TEST_F(Checkpoints, TruncatedAtAnyByteAreRefusedByName) {
  const std::string path = folder_ + "/step-0000000001";
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(1)));
  for (const char* name :
       {"checkpoint.json", "weights.bin", "moments.bin", "state.bin"}) {
    const fs::path file = fs::path(path) / name;
    const std::string whole = text_in(file);
    // All lengths, or some of a long file. The manifest's last byte ends its line.
    const std::size_t all = whole.size() - (std::string(name) == "checkpoint.json");
    for (std::size_t length = 0; length < all; length += 1 + all / 60) {
      write_text(file, whole.substr(0, length));
      const Error error = refusal_of(path);
      ASSERT_TRUE(error.what.starts_with("the checkpoint " + path + " is damaged"))
          << error.what;
      ASSERT_NE(error.remedy.find("delete that folder"), std::string::npos);
    }
    fs::remove(file);
    EXPECT_NE(refusal_of(path).what.find(name), std::string::npos);
    write_text(file, whole);
  }
  EXPECT_TRUE(read_checkpoint(path));
}

TEST_F(Checkpoints, AlteredInAnyBitAreRefused) {
  const std::string path = folder_ + "/step-0000000001";
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(1)));
  Random random(1);
  for (const char* name :
       {"checkpoint.json", "weights.bin", "moments.bin", "state.bin"}) {
    const fs::path file = fs::path(path) / name;
    const std::string whole = text_in(file);
    for (int i = 0; i < 100; ++i) {
      std::string altered = whole;
      const std::size_t at = random.below(altered.size());
      // What JSON has between its values is not part of it.
      if (std::string(name) == "checkpoint.json" && whole[at] <= ' ') continue;
      altered[at] = static_cast<char>(altered[at] ^ (1U << random.below(8)));
      write_text(file, altered);
      ASSERT_NE(refusal_of(path).what.find(path), std::string::npos) << name << at;
    }
    write_text(file, whole + "x");
    EXPECT_NE(refusal_of(path).what.find(path), std::string::npos);
    write_text(file, whole);
  }
  EXPECT_TRUE(read_checkpoint(path));
}

TEST_F(Checkpoints, OfOthersAreRefusedByName) {
  const std::string path = folder_ + "/step-0000000001";
  EXPECT_EQ(refusal_of(path).what,
            "the checkpoint " + path + " is none: it has no readable checkpoint.json");
  for (const char* json : {"{}", "[1, 2]", "7", R"({"format": "pickle"})"}) {
    fs::create_directories(path);
    write_text(path + "/checkpoint.json", json);
    EXPECT_EQ(refusal_of(path).what,
              "the checkpoint " + path + " was not written by this workbook");
  }
}

TEST_F(Checkpoints, OfANewerVersionAreRefusedAsSuch) {
  const std::string path = folder_ + "/step-0000000001";
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(1)));
  replace_in(path + "/checkpoint.json", "\"version\": 1", "\"version\": 2");
  EXPECT_EQ(refusal_of(path).what,
            "the checkpoint " + path +
                " was written by a newer workbook (format 2; this one reads 1)");
  EXPECT_EQ(refusal_of(path).remedy, "use that workbook, or name another folder");
}

TEST_F(Checkpoints, WithAManifestThatLiesAreRefused) {
  const std::string path = folder_ + "/step-0000000001";
  ASSERT_TRUE(write_checkpoint(folder_, some_checkpoint(1)));
  replace_in(path + "/checkpoint.json", "16 x 128", "32 x 128");
  EXPECT_EQ(refusal_of(path).what,
            "the checkpoint " + path + " is damaged: its checkpoint.json was altered");
}

TEST(Lines, TellNetworksApart) {
  Network network;
  network.push_back(linear(3, 5));
  network.push_back(relu(5));
  network.skips = {{1, 1}};
  network.tie = Tie{0, 1, 15};
  EXPECT_EQ(network_lines(network),
            (std::vector<std::string>{
                "linear 3 -> 5, 20 parameters", network[1]->name() + ", 0 parameters",
                "skip from layer 1 to layer 1", "layers 0 and 1 share 15 parameters"}));
}

TEST(Settings, OfOptimizersTellThemApart) {
  const Optimizer sgd;
  Optimizer adam_w{.kind = Optimizer::Kind::AdamW};
  const auto of_adam_w = settings_of(adam_w, 0);
  EXPECT_EQ(settings_of(sgd, 0).at("optimizer"), "SGD");
  EXPECT_EQ(of_adam_w.at("optimizer"), "AdamW");
  EXPECT_EQ(of_adam_w.at("rate"), "0.05");
  EXPECT_NE(settings_of(adam_w, 0.1F), of_adam_w);
  adam_w.rate = std::nextafter(adam_w.rate, 1.0F);
  EXPECT_NE(settings_of(adam_w, 0), of_adam_w);
}

TEST(Belonging, IsRefusedWithTheFirstDifference) {
  const Checkpoint checkpoint = some_checkpoint(1);
  EXPECT_TRUE(check_belongs(checkpoint, "c", checkpoint.network, checkpoint.settings));
  EXPECT_TRUE(check_belongs(checkpoint, "c", checkpoint.network));
  auto network = checkpoint.network;
  network[1] = "gelu, 0 parameters";
  EXPECT_EQ(check_belongs(checkpoint, "c", network).error().what,
            "the checkpoint c is of another network: it has 'relu, 0 parameters', this "
            "one 'gelu, 0 parameters'");
  network.pop_back();
  EXPECT_EQ(check_belongs(checkpoint, "c", network).error().what,
            "the checkpoint c is of another network: it has 'relu, 0 parameters', this "
            "one 'nothing more'");
  EXPECT_EQ(
      check_belongs(checkpoint, "c", checkpoint.network, {{"seed", "2"}}).error().what,
      "the checkpoint c is of another training: it has 'seed 1', this one "
      "'seed 2'");
  EXPECT_EQ(
      check_belongs(checkpoint, "c", checkpoint.network, {{"clip", "1"}}).error().what,
      "the checkpoint c is of another training: it has 'clip unknown', this one "
      "'clip 1'");
}

}  // namespace
}  // namespace pipeline
