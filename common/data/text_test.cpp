#include "data/text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "layers/random.hpp"

namespace pipeline {
namespace {

std::string written(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + "/text_test_" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// Drawn at random, without a byte 0: a piece of a few bytes occurs once.
std::string some_text(std::size_t bytes) {
  std::string text;
  Random random(1);
  while (text.size() < bytes) {
    text.push_back(static_cast<char>(1 + random.below(255)));
  }
  return text;
}

Error refusal_of(const std::string& path) {
  auto corpus = read_corpus(path);
  EXPECT_FALSE(corpus) << path;
  return corpus ? Error{} : corpus.error();
}

TEST(Corpus, IsAFileByteForByteWithItsLastTenthHeldOut) {
  const std::string text = some_text(1009);
  const auto corpus = read_corpus(written("whole", text));
  ASSERT_TRUE(corpus) << corpus.error().what;
  EXPECT_EQ(corpus->text, text);
  EXPECT_EQ(corpus->held_out().size(), 100U);
  EXPECT_EQ(std::string(corpus->train()) + std::string(corpus->held_out()), text);
}

TEST(Corpus, IsTheBibleByDefault) {
  const auto corpus = read_corpus();
  if (!corpus && corpus.error().kind == ErrorKind::Absent) {
    GTEST_SKIP() << "not run: " << corpus.error().what;
  }
  ASSERT_TRUE(corpus) << corpus.error().what;
  EXPECT_EQ(corpus->text.size(), 4'404'412U);
  EXPECT_EQ(corpus->text.substr(0, 30), "Ge1:1 In the beginning God cre");
}

TEST(Corpus, NamesThePackagesWhereTheBibleIsNotInstalled) {
  const char* const path = std::getenv("PATH");
  const std::string kept = path == nullptr ? "" : path;
  setenv("PATH", "/nowhere", 1);
  const Error error = refusal_of("");
  setenv("PATH", kept.c_str(), 1);
  EXPECT_EQ(error.kind, ErrorKind::Absent);
  EXPECT_NE(error.remedy.find("bible-kjv and bible-kjv-text"), std::string::npos);
  EXPECT_NE(error.remedy.find("--text"), std::string::npos);
}

TEST(Corpus, RefusesByNameWhatIsNoText) {
  const std::string nothing = testing::TempDir() + "/text_test_nothing";
  const std::string binary = written("binary", std::string("\x7f"
                                                           "ELF\x02\0\1",
                                                           7));
  const std::string empty = written("empty", "");
  EXPECT_EQ(refusal_of(nothing).what,
            "the text " + nothing + " cannot be read: No such file or directory");
  EXPECT_EQ(refusal_of(empty).what, "the text " + empty + " is empty");
  EXPECT_EQ(
      refusal_of(binary).what,
      "the text " + binary + " is not a text: its byte 5 (counted from 0) is a zero");
  EXPECT_EQ(refusal_of(testing::TempDir()).what,
            "the text " + testing::TempDir() + " is not a file");
  EXPECT_EQ(refusal_of("/dev/zero").what, "the text /dev/zero is not a file");
  // A file that opens, and then fails when it is read.
  EXPECT_EQ(refusal_of("/proc/self/mem").what,
            "the text /proc/self/mem cannot be read: Input/output error");
  for (const std::string& path : {nothing, empty, binary}) {
    EXPECT_EQ(refusal_of(path).kind, ErrorKind::Invalid);
    EXPECT_FALSE(refusal_of(path).remedy.empty());
  }
}

TEST(Corpus, IsLongEnoughForAContextWhereBothPartsHoldAWindowAndOneByteMore) {
  for (const std::int32_t context : {1, 7, 128}) {
    const std::size_t least = 10 * (static_cast<std::size_t>(context) + 1);
    EXPECT_TRUE(check_length({"enough", some_text(least)}, context));
    const auto less = check_length({"short.txt", some_text(least - 1)}, context);
    ASSERT_FALSE(less);
    EXPECT_NE(less.error().what.find("short.txt has " + std::to_string(least - 1)),
              std::string::npos);
    EXPECT_NE(less.error().remedy.find(std::to_string(least) + " bytes"),
              std::string::npos);
  }
  EXPECT_FALSE(check_length({"tiny", "a"}, 1));
}

/// Where in `text`, whose windows are all different, sample `sample` begins; npos where
/// its rows are not a piece of the text with the next byte as label.
std::size_t place_of(std::string_view text, const TextBatch& batch,
                     std::int32_t sample) {
  const auto first = static_cast<std::size_t>(sample) * batch.context;
  std::string window;
  for (std::int32_t i = 0; i < batch.context; ++i) {
    window.push_back(static_cast<char>(batch.inputs[first + i]));
    if (i == 0) continue;
    if (static_cast<float>(batch.labels[first + i - 1]) != batch.inputs[first + i]) {
      return std::string::npos;
    }
  }
  window.push_back(static_cast<char>(batch.labels[first + batch.context - 1]));
  return text.find(window);
}

TEST(Windows, ArePiecesOfTheTextWithTheNextByteAsLabel) {
  const std::string text = some_text(5000);
  TextBatch batch{.samples = 50, .context = 9, .inputs = {}, .labels = {}};
  std::set<std::size_t> places;
  for (std::int64_t step = 0; step < 20; ++step) {
    draw_windows(text, 3, step, batch);
    ASSERT_EQ(batch.inputs.size(), 450U);
    ASSERT_EQ(batch.labels.size(), 450U);
    for (std::int32_t sample = 0; sample < batch.samples; ++sample) {
      const std::size_t place = place_of(text, batch, sample);
      ASSERT_NE(place, std::string::npos);
      places.insert(place);
    }
  }
  // 1000 of 4991 places drawn, some of them twice: about 905 are different.
  EXPECT_GT(places.size(), 850U);
  EXPECT_LT(*places.begin(), 50U);
  EXPECT_GT(*places.rbegin(), 4940U);
}

TEST(Windows, ReachFromTheFirstByteToTheLast) {
  const std::string text = "abcdef";
  TextBatch batch{.samples = 40, .context = 4, .inputs = {}, .labels = {}};
  std::set<std::size_t> places;
  draw_windows(text, 1, 0, batch);
  for (std::int32_t sample = 0; sample < batch.samples; ++sample) {
    places.insert(place_of(text, batch, sample));
  }
  EXPECT_EQ(places, (std::set<std::size_t>{0, 1}));
}

TEST(Windows, FollowFromSeedAndStepAlone) {
  const std::string text = some_text(5000);
  TextBatch first{.samples = 4, .context = 16, .inputs = {}, .labels = {}};
  TextBatch other = first;
  draw_windows(text, 1, 7, first);
  draw_windows(text, 1, 8, other);
  EXPECT_NE(first.labels, other.labels);
  draw_windows(text, 2, 7, other);
  EXPECT_NE(first.labels, other.labels);
  draw_windows(text, 1, 7, other);
  EXPECT_EQ(first.labels, other.labels);
  EXPECT_EQ(first.inputs, other.inputs);
}

TEST(Windows, MayChangeTheirLengthFromStepToStep) {
  const std::string text = some_text(5000);
  TextBatch batch{.samples = 4, .context = 16, .inputs = {}, .labels = {}};
  draw_windows(text, 1, 0, batch);
  batch.context = 5;
  draw_windows(text, 1, 1, batch);
  EXPECT_EQ(batch.inputs.size(), 20U);
  for (std::int32_t sample = 0; sample < batch.samples; ++sample) {
    EXPECT_NE(place_of(text, batch, sample), std::string::npos);
  }
}

TEST(Windows, SpreadOverTheWholeTextAreTheSameEachTime) {
  const std::string text = some_text(1000);
  TextBatch batch{.samples = 4, .context = 99, .inputs = {}, .labels = {}};
  spread_windows(text, batch);
  for (std::int32_t sample = 0; sample < 4; ++sample) {
    EXPECT_EQ(place_of(text, batch, sample), static_cast<std::size_t>(300 * sample));
  }
  batch.samples = 1;
  spread_windows(text, batch);
  EXPECT_EQ(place_of(text, batch, 0), 0U);
  EXPECT_EQ(windows_in(text, 99), 10);
  EXPECT_EQ(windows_in(text, 100), 9);
}

}  // namespace
}  // namespace pipeline
