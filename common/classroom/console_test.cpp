#include "classroom/console.hpp"

#include <gtest/gtest.h>

#include "classroom/numbers.hpp"

namespace pipeline {
namespace {

TEST(Table, AlignsColumnsByWhatIsSeen) {
  EXPECT_EQ(format_table({{"what", "n"}, {"µ", "10"}, {"long one", "5"}}, {1}),
            "what       n\n"
            "µ         10\n"
            "long one   5\n");
}

TEST(Wrap, BreaksAtBlanksWithin80ColumnsAndKeepsLineEnds) {
  const std::string a(50, 'a');
  const std::string b(50, 'b');
  EXPECT_EQ(wrap(a + " " + b + "\nnext", 2), "  " + a + "\n  " + b + "\n  next\n");
  EXPECT_EQ(wrap(a + " " + b, 6, 0), a + "\n      " + b + "\n");
}

TEST(Wrap, KeepsWhatALineBeginsWith) {
  EXPECT_EQ(wrap("values:\n  6\n\nend", 4), "    values:\n      6\n\n    end\n");
}

TEST(Wrap, LeavesAWordThatIsTooLongWhole) {
  const std::string word(100, 'a');
  EXPECT_EQ(wrap(word + " b", 2), "  " + word + "\n  b\n");
}

TEST(Sentence, PutsBlanksBeforeCapitals) {
  EXPECT_EQ(sentence("CountsTheLastMicroBatch"), "counts the last micro batch");
}

TEST(Count, AcceptsItsRangeAndNothingElse) {
  EXPECT_EQ(parse_count("-p", "1", 1, 12), 1);
  EXPECT_EQ(parse_count("-p", "12", 1, 12), 12);
  for (const char* typed : {"0", "13", "-1", "", " 1", "1 ", "1.5", "1e1", "0x1", "+1",
                            "one", "99999999999999999999", "-99999999999999999999"}) {
    const auto refused = parse_count("-p", typed, 1, 12);
    ASSERT_FALSE(refused) << typed;
    EXPECT_NE(refused.error().what.find(std::string("-p '") + typed + "'"),
              std::string::npos);
    EXPECT_EQ(refused.error().remedy, "Give a whole number from 1 to 12.");
  }
}

TEST(Amount, IsFiniteAndNotNegative) {
  EXPECT_EQ(parse_amount("F", "0.5"), 0.5);
  EXPECT_EQ(parse_amount("F", "0"), 0);
  for (const char* typed : {"-1", "nan", "inf", "", "1,2", "x", "1e999"}) {
    EXPECT_FALSE(parse_amount("F", typed)) << typed;
  }
}

}  // namespace
}  // namespace pipeline
