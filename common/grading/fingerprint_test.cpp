#include "grading/fingerprint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace pipeline {
namespace {

std::vector<std::uint64_t> kinds(std::string_view source) {
  std::vector<std::uint64_t> all;
  for (const Token& token : tokens_of(source)) all.push_back(token.kind);
  return all;
}

TEST(Tokens, AreAlikeWhateverTheNamesTheLayoutAndTheComments) {
  EXPECT_EQ(kinds("for (int k = 0; k < m; ++k) row.push_back(f(k));"),
            kinds("for(auto item=17;item<rows;++item)  // each\n"
                  "{\n  list . add ( g ( item ) ) ; /* and on */ }\n"));
}

TEST(Tokens, AreOtherOnesWhereTheProgramIsAnotherOne) {
  EXPECT_NE(kinds("a + b"), kinds("a - b"));
  EXPECT_NE(kinds("if (a) b();"), kinds("while (a) b();"));
  EXPECT_NE(kinds("a < b"), kinds("a <= b"));
  EXPECT_NE(kinds("f(1)"), kinds("f(\"1\")"));
}

TEST(Tokens, AreNotMadeOfWhatCanBePutInAndTakenOut) {
  EXPECT_EQ(kinds("const std::int32_t a = std::min(b, c);"),
            kinds("int a = min(b, c);"));
  EXPECT_EQ(kinds("unsigned long a;"), kinds("auto a;"));
  EXPECT_EQ(kinds("for (; ; ++i) --n;"), kinds("for (; ; i++) { n--; }"));
  EXPECT_NE(kinds("a++ + b"), kinds("a + b++"));
  EXPECT_EQ(kinds("#include <vector>\n#define A \\\n  b\nx;"), kinds("x;"));
}

TEST(Tokens, SayWhereTheyStand) {
  const auto tokens = tokens_of("a /* b */ += R\"x(q)\" )x\";");
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[1].begin, 10U);
  EXPECT_EQ(tokens[1].end, 12U);
  EXPECT_EQ(tokens[2].begin, 13U);
  EXPECT_EQ(tokens[2].end, 24U);
}

TEST(Tokens, ComeToAnEndInAnyBytes) {
  for (const std::string piece : {"/*", "\"", "'", "R\"(", "R\"", "\\", "#", "\xff",
                                  "(", "x=x;", "R\"abc(", "1'", "//\\\n", "."}) {
    std::string source;
    while (source.size() < 300000) source += piece;
    EXPECT_LE(tokens_of(source).size(), kMostTokens) << piece;
    EXPECT_LE(tokens_of(source + '\0').size(), kMostTokens) << piece;
  }
  EXPECT_TRUE(tokens_of("").empty());
}

// Definition 1 of the paper, on numbers of our own.
TEST(Winnowing, KeepsTheLeastOfEachWindowAndOfEqualOnesTheLast) {
  EXPECT_EQ(winnow({7, 4, 9, 5, 8, 4, 4, 9, 9}), (std::vector<std::size_t>{1, 5, 6}));
  EXPECT_EQ(winnow({3, 2}), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(winnow({}).empty());
}

// The guarantee of the paper: a match of kGram + kWindow - 1 tokens is found.
TEST(Winnowing, FindsEveryMatchThatIsLongEnough) {
  const std::string shared = "for (int i = 0; i < n; i++) { sum += a[i] * b[i - 1]; }";
  const std::size_t length = tokens_of(shared).size();
  ASSERT_GE(length, kGram + kWindow - 1);
  const auto kept = [](const std::string& source) {
    const auto grams = grams_of(tokens_of(source));
    std::vector<std::uint64_t> hashes;
    for (const std::size_t place : winnow(grams)) hashes.push_back(grams[place]);
    std::sort(hashes.begin(), hashes.end());
    return hashes;
  };
  const auto left = kept("int f(int a, int b) { return a * b; }" + shared + "g(a);");
  const auto right = kept("while (true) x = y->z;" + shared + "return !x ? 2 : 3;");
  std::vector<std::uint64_t> common;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(common));
  EXPECT_FALSE(common.empty());
}

}  // namespace
}  // namespace pipeline
