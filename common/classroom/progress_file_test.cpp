#include "classroom/progress_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace pipeline {
namespace {

ProgressRecord example() {
  ProgressRecord progress;
  progress.exercises["01"] = {true, 2};
  progress.exercises["02"] = {false, 0};
  progress.exercises["10t"] = {false, 1};
  progress.current = "02";
  return progress;
}

TEST(ProgressFile, IsReadAsItWasWritten) {
  const std::string text = to_text(example());
  EXPECT_NE(text.find("01   solved  2 hints\n"
                      "02   begun   0 hints  current\n"
                      "10t  begun   1 hint\n"),
            std::string::npos)
      << text;
  const ProgressRecord read = parse_progress(text);
  EXPECT_EQ(read.exercises, example().exercises);
  EXPECT_EQ(read.current, "02");
  EXPECT_TRUE(read.damaged.empty());
}

TEST(ProgressFile, MayBeEditedByHand) {
  const ProgressRecord read = parse_progress(
      "# my notes\r\n"
      "\n"
      "\t01 solved\r\n"
      "   02   begun 1 hints\n"
      "03 begun current");
  EXPECT_TRUE(read.damaged.empty());
  EXPECT_EQ(read.exercises.at("01"), (ExerciseRecord{true, 0}));
  EXPECT_EQ(read.exercises.at("02"), (ExerciseRecord{false, 1}));
  EXPECT_EQ(read.current, "03");
}

TEST(ProgressFile, TakesTheBetterOfTwoLines) {
  const ProgressRecord read =
      parse_progress("01 begun 3 hints\n01 solved 1 hint\n01 begun 2 hints\n");
  EXPECT_EQ(read.exercises.at("01"), (ExerciseRecord{true, 3}));
}

TEST(ProgressFile, NamesWhatItCannotUnderstandAndReadsTheRest) {
  for (const char* damaged :
       {"02", "02 sol", "02 solved 3", "02 solved x hints", "02 solved -1 hints",
        "02 solved 9999 hints", "02 solved 1 hint current more", "x solved",
        "../../etc solved", "123456789 solved", "\xff\xfe\x01", "{\"01\": 2}"}) {
    const ProgressRecord read =
        parse_progress(std::string("01 solved 2 hints\n") + damaged + "\n03 begun\n");
    ASSERT_EQ(read.damaged.size(), 1U) << damaged;
    EXPECT_EQ(read.damaged[0].number, 2U);
    EXPECT_EQ(read.damaged[0].text, damaged);
    EXPECT_EQ(read.exercises.size(), 2U) << damaged;
  }
}

TEST(ProgressFile, CutAnywhereLosesAtMostItsLastLine) {
  const std::string text = to_text(example());
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    const ProgressRecord whole = parse_progress(cut.substr(0, cut.rfind('\n') + 1));
    const ProgressRecord read = parse_progress(cut);
    EXPECT_LE(read.damaged.size(), 1U);
    EXPECT_TRUE(whole.damaged.empty());
    for (const auto& [number, record] : whole.exercises) {
      EXPECT_EQ(record, example().exercises.at(number));
      EXPECT_EQ(read.exercises.at(number), record);
    }
  }
}

TEST(ProgressFile, SurvivesEveryByte) {
  const std::string text = to_text(example());
  for (std::size_t at = 0; at < text.size(); at += 3) {
    for (int byte = 0; byte < 256; byte += 5) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      const ProgressRecord read = parse_progress(changed);
      EXPECT_EQ(parse_progress(to_text(read)).exercises, read.exercises);
    }
  }
}

}  // namespace
}  // namespace pipeline
