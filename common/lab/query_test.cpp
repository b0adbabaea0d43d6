#include "lab/query.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

TEST(Query, IsReadPairByPairAndDecoded) {
  const auto query = Query::parse("schedule=1f1b&p=4&limit=2%2C3&title=a+b&flag");
  ASSERT_TRUE(query) << query.error().what;
  ASSERT_EQ(query->pairs().size(), 5U);
  EXPECT_EQ(*query->find("schedule"), "1f1b");
  EXPECT_EQ(*query->find("limit"), "2,3");
  EXPECT_EQ(*query->find("title"), "a b");
  EXPECT_EQ(query->find("flag"), nullptr);
  EXPECT_TRUE(query->holds("flag"));
  EXPECT_FALSE(query->holds("m"));
  EXPECT_EQ(query->find("m"), nullptr);
  EXPECT_EQ(query->find("P"), nullptr);
}

TEST(Query, MayBeEmpty) {
  EXPECT_TRUE(Query::parse("")->pairs().empty());
  EXPECT_TRUE(Query::parse("&&")->pairs().empty());
}

TEST(Query, IsRefusedWhereItCannotBeRead) {
  for (const std::string text : {"p=%", "p=%4", "p=%4g", "%zz=1"}) {
    const auto query = Query::parse(text);
    ASSERT_FALSE(query) << text;
    EXPECT_NE(query.error().what.find('%'), std::string::npos);
  }
  EXPECT_EQ(Query::parse("p=1&p=2").error().what, "'p' is in the link twice");
  EXPECT_FALSE(Query::parse(std::string(70'000, 'a')));
}

TEST(Query, IsRefusedWhereItHoldsTooManyPairs) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += "k" + std::to_string(i) + "=1&";
  EXPECT_TRUE(Query::parse(text));
  EXPECT_EQ(Query::parse(text + "p=1").error().what,
            "the link holds more than 64 pairs");
}

TEST(Query, QuotesNoMoreOfAKeyThanCanBeRead) {
  const std::string key(30'000, 'k');
  const auto query = Query::parse(key + "=1&" + key + "=2");
  ASSERT_FALSE(query);
  EXPECT_LT(query.error().what.size(), 80U);
  EXPECT_EQ(Query::parse("%1b=1&%1b=2").error().what, "'?' is in the link twice");
}

}  // namespace
}  // namespace pipeline
