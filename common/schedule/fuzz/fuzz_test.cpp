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

#include "schedule/full_tier.hpp"
#include "schedule/fuzz/parsers.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

struct Seed {
  std::string name, text;
};

std::vector<Seed> corpus() {
  std::vector<Seed> seeds;
  for (const auto& entry : fs::directory_iterator(FUZZ_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    seeds.push_back(
        {entry.path().filename().string(), {std::istreambuf_iterator<char>(file), {}}});
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

/// Edits texts as people and disks damage them. The generator's own numbers, and not
/// those of a distribution, so that every library edits alike.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text, const std::vector<Seed>& seeds) {
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      edit(text, seeds[below(seeds.size())].text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void edit(std::string& text, const std::string& other) {
    constexpr std::string_view kLetters =
        "0123456789FBIWfbw,;.+-=()# \n\t\r:_ENDSRV\x01";
    constexpr std::array<std::string_view, 12> kNumbers{
        "0",        "-1",         "1",          "7",
        "65536",    "65537",      "1048576",    "67108863",
        "67108864", "2147483647", "2147483648", "99999999999999999999"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(12), text.size() - at);
    switch (below(6)) {
      case 0:
        text.insert(at, 1, kLetters[below(kLetters.size())]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3: {
        const std::size_t from = below(other.size() + 1);
        text.insert(at, other.substr(from, below(40)));
        break;
      }
      case 4: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        text.replace(digit, 1, kNumbers[below(kNumbers.size())]);
        break;
      }
      default:
        text.resize(at);
        break;
    }
  }

  std::mt19937 random_;
};

TEST(Parsers, HoldOnEverySeed) {
  const auto seeds = corpus();
  ASSERT_GE(seeds.size(), 10U);
  for (const Seed& seed : seeds) {
    EXPECT_EQ(complaint_about_parsers(seed.text), "") << seed.name;
  }
}

TEST(Parsers, HoldOnEveryBeginningOfASeed) {
  for (const Seed& seed : corpus()) {
    for (std::size_t length = 0; length < seed.text.size(); ++length) {
      ASSERT_EQ(complaint_about_parsers(seed.text.substr(0, length)), "")
          << seed.name << " cut to " << length;
    }
  }
}

TEST(Parsers, HoldOnMutationsOfTheSeeds) {
  const auto seeds = corpus();
  const unsigned mutations = in_full_tier() ? 200'000 : 20'000;
  for (unsigned number = 0; number < mutations; ++number) {
    Mutator mutator(number);
    const Seed& seed = seeds[number % seeds.size()];
    const std::string text = mutator.mutate(seed.text, seeds);
    ASSERT_EQ(complaint_about_parsers(text), "")
        << "mutation " << number << " of " << seed.name << ":\n"
        << text;
  }
}

}  // namespace
}  // namespace pipeline
