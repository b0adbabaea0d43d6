#include "grading/fuzz/replies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "grading/wire.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// What is in front of the value of a seed: its length, and the head of a reply.
constexpr std::size_t kHeads = 4 + kReplyHead;

std::vector<std::string> corpus() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(FUZZ_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// Damages replies as their writers would: bits, lengths, tags, whole pieces.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string bytes, const std::vector<std::string>& seeds) {
    for (std::size_t edits = 1 + below(4); edits > 0; --edits)
      edit(bytes, seeds[below(seeds.size())]);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void edit(std::string& bytes, const std::string& other) {
    constexpr std::string_view kTags = "bifdsv{";
    const std::size_t at = below(bytes.size() + 1);
    const std::size_t length = std::min(below(16), bytes.size() - at);
    switch (below(6)) {
      case 0:
        if (at < bytes.size())
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = kTags[below(kTags.size())];
        break;
      case 2:
        if (at + 4 <= bytes.size())
          bytes.replace(at, 4, 4, static_cast<char>(below(256)));
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, other.substr(below(other.size() + 1), below(40)));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }

  std::mt19937 random_;
};

std::string in_hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

TEST(Replies, AreReadAsTheTypesOfEveryContract) {
  // Numbers, truth values, vectors of them, rows, and structs of several exercises.
  EXPECT_GE(all_type_checks().size(), 15U);
}

TEST(Replies, HoldOnEverySeedAndEveryBeginningOfIt) {
  const auto seeds = corpus();
  ASSERT_GE(seeds.size(), 10U);
  for (const std::string& seed : seeds) {
    for (std::size_t length = 0; length <= seed.size(); ++length) {
      const std::string bytes = seed.substr(0, length);
      ASSERT_EQ(complaint_about_replies(bytes), "") << in_hex(bytes);
    }
  }
}

TEST(Replies, OfTheCorpusAreUnderstoodBySomeTypeAndNotByAll) {
  for (const std::string& seed : corpus()) {
    ASSERT_GE(seed.size(), kHeads);
    const std::string value = seed.substr(kHeads);
    const auto& checks = all_type_checks();
    const auto accepts = [&](TypeCheck check) { return check(value).accepted; };
    EXPECT_TRUE(std::any_of(checks.begin(), checks.end(), accepts)) << in_hex(seed);
    EXPECT_FALSE(std::all_of(checks.begin(), checks.end(), accepts)) << in_hex(seed);
  }
}

TEST(Replies, HoldOnMutationsOfTheSeeds) {
  const auto seeds = corpus();
  const unsigned mutations = in_full_tier() ? 500'000 : 30'000;
  for (unsigned number = 0; number < mutations; ++number) {
    Mutator mutator(number);
    const std::string& seed = seeds[number % seeds.size()];
    std::string bytes = mutator.mutate(seed, seeds);
    ASSERT_EQ(complaint_about_replies(bytes), "")
        << "mutation " << number << ": " << in_hex(bytes);
    // Without the heads, so that more of them get as far as a value.
    bytes = mutator.mutate(seed.substr(kHeads), seeds);
    ASSERT_EQ(complaint_about_replies(bytes), "")
        << "mutation " << number << ": " << in_hex(bytes);
  }
}

}  // namespace
}  // namespace pipeline
