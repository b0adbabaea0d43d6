#include "schedule/reading.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace pipeline {
namespace {

TEST(Amount, IsWhatTheStandardLibraryReads) {
  for (const char* text :
       {"0", "1", "0.5", ".5", "5.", "18522", "0.6336", "1e3", "2E-3", "1e+2",
        "123456.789", "0.1", "0.000001", "99999999999999", "3.14159265358979", "007",
        "1e22", "4e-22", "0e999"}) {
    ASSERT_TRUE(amount(text)) << text;
    EXPECT_EQ(*amount(text), std::strtod(text, nullptr)) << text;
  }
}

TEST(Amount, ComesCloseWhereThereAreMoreDigitsThanItHolds) {
  for (const char* text : {"123456789012345678901234567890", "1e300", "1e-290",
                           "0.1234567890123456789012345", "1.7976931348623157e308"}) {
    ASSERT_TRUE(amount(text)) << text;
    const double exact = std::strtod(text, nullptr);
    EXPECT_NEAR(*amount(text) / exact, 1, 1e-13) << text;
  }
}

TEST(Amount, IsNothingButANumberOfAtLeastZero) {
  for (const char* text : {"",
                           "-1",
                           "+1",
                           " 1",
                           "1 ",
                           "x",
                           ".",
                           "e3",
                           "1e",
                           "1e+-3",
                           "1e99999999999",
                           "nan",
                           "inf",
                           "1e309",
                           "0x10",
                           "1,5",
                           "1.2.3",
                           "1e1.5",
                           "--1",
                           "1e+"}) {
    EXPECT_FALSE(amount(text)) << text;
  }
  EXPECT_FALSE(amount(std::string(400, '9')));
}

TEST(InQuotes, KeepsAMessageShortAndPrintable) {
  EXPECT_EQ(in_quotes("F3"), "'F3'");
  EXPECT_EQ(in_quotes("\x1b[2J\xff"), "'?[2J?'");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "'" + std::string(24, 'x') + "…'");
}

}  // namespace
}  // namespace pipeline
