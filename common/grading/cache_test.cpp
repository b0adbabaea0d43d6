#include "grading/cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

Verdict some_verdict() {
  Verdict verdict;
  verdict.status = Status::Ok;
  verdict.tests = {{{"Suite.One", 2, "", false, true}, true, Status::Ok, ""},
                   {{"Suite.Two", 1, "", false, false}, false, Status::Ok, "said\xFF"}};
  verdict.tier = "bubblewrap";
  verdict.cpu_seconds = 0.125;
  return verdict;
}

class CacheTest : public testing::Test {
 protected:
  Cache open() {
    auto cache = Cache::open(scratch_ / "cache");
    EXPECT_TRUE(cache.has_value());
    return *cache;
  }
  fs::path only_file() {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(scratch_ / "cache"))
      found = entry.path();
    return found;
  }

  ScratchFolder scratch_;
  CacheKey key_ = cache_key("answer", "", "kit", "seed", Tier::Bubblewrap);
};

TEST(CacheKey, DependsOnEverythingThatMatters) {
  const std::set<CacheKey> keys = {
      cache_key("answer", "", "kit", "seed", Tier::Bubblewrap),
      cache_key("answer ", "", "kit", "seed", Tier::Bubblewrap),
      cache_key("answer", "student-01", "kit", "seed", Tier::Bubblewrap),
      cache_key("answer", "", "kit2", "seed", Tier::Bubblewrap),
      cache_key("answer", "", "kit", "seed2", Tier::Bubblewrap),
      cache_key("answer", "", "kits", "eed", Tier::Bubblewrap),
      cache_key("answer", "", "kit", "seed", Tier::OwnUser)};
  EXPECT_EQ(keys.size(), 7U);
  EXPECT_EQ(cache_key("answer", "", "kit", "seed", Tier::Bubblewrap),
            cache_key("answer", "", "kit", "seed", Tier::Bubblewrap));
}

TEST_F(CacheTest, GivesBackWhatWasKept) {
  const Cache cache = open();
  EXPECT_EQ(cache.find(key_), std::nullopt);
  Verdict verdict = some_verdict();
  ASSERT_TRUE(cache.keep(key_, verdict).has_value());
  verdict.tests[1].message = "said\xEF\xBF\xBD";  // what is no UTF-8 is replaced
  EXPECT_EQ(cache.find(key_), verdict);
  EXPECT_EQ(open().find(key_), verdict);
  EXPECT_EQ(cache.find(cache_key("other", "", "kit", "seed", Tier::Bubblewrap)),
            std::nullopt);
}

TEST_F(CacheTest, ADamagedFileIsAsGoodAsNone) {
  const Cache cache = open();
  ASSERT_TRUE(cache.keep(key_, some_verdict()).has_value());
  const fs::path file = only_file();
  const std::string whole = *read_file(file);
  for (std::size_t i = 0; i < whole.size(); i += i < 70 ? 1 : 9) {
    std::string wrong = whole;
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    ASSERT_TRUE(write_file(file, wrong).has_value());
    ASSERT_EQ(cache.find(key_), std::nullopt) << "byte " << i;
    ASSERT_TRUE(write_file(file, whole.substr(0, i)).has_value());
    ASSERT_EQ(cache.find(key_), std::nullopt) << "cut off at " << i;
  }
  ASSERT_TRUE(write_file(file, whole).has_value());
  EXPECT_TRUE(cache.find(key_).has_value());
}

TEST_F(CacheTest, FindsTheNewestVerdictOnTheSameAnswer) {
  const Cache cache = open();
  EXPECT_EQ(cache.find_earlier(key_.who), std::nullopt);
  Verdict verdict = some_verdict();
  verdict.tests[1].message = "said";
  ASSERT_TRUE(cache.keep(key_, verdict).has_value());
  fs::last_write_time(only_file(),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  verdict.mistake = "newer";
  const CacheKey newer = cache_key("answer", "", "kit2", "seed", Tier::Bubblewrap);
  EXPECT_EQ(newer.who, key_.who);
  ASSERT_TRUE(cache.keep(newer, verdict).has_value());
  EXPECT_EQ(cache.find_earlier(key_.who), verdict);
}

TEST_F(CacheTest, RemovesWhatAKilledRunLeftHalfWritten) {
  open();
  const fs::path half = scratch_ / "cache/a-b.json.part4711";
  ASSERT_TRUE(write_file(half, "half").has_value());
  open();
  EXPECT_FALSE(fs::exists(half));
}

TEST_F(CacheTest, IsForItsOwnerAlone) {
  open();
  EXPECT_EQ(fs::status(scratch_ / "cache").permissions(), fs::perms::owner_all);
}

TEST_F(CacheTest, RefusesAFolderThatCannotBeMade) {
  ASSERT_TRUE(write_file(scratch_ / "file", "").has_value());
  EXPECT_FALSE(Cache::open(scratch_ / "file/cache").has_value());
}

}  // namespace
}  // namespace pipeline
