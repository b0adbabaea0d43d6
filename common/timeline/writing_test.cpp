#include "timeline/writing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pipeline {
namespace {

TEST(Number, IsRoundedAndHasNoTrailingZeros) {
  EXPECT_EQ(number(0, 3), "0");
  EXPECT_EQ(number(33, 2), "33");
  EXPECT_EQ(number(2.5, 3), "2.5");
  EXPECT_EQ(number(0.0625, 3), "0.063");
  EXPECT_EQ(number(1.0005, 2), "1");
  EXPECT_EQ(number(0.999, 2), "1");
  EXPECT_EQ(number(12.007, 9), "12.007");
  EXPECT_EQ(number(-1.5, 1), "-1.5");
  EXPECT_EQ(number(-0.001, 2), "0");
  EXPECT_EQ(number(1e300, 2), "1000000000000000000");
}

TEST(Number, WritesWhatIsNoFiniteNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const int decimals : {0, 2, 9}) {
    EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN(), decimals), "nan");
    EXPECT_EQ(number(infinity, decimals), "1000000000000000000");
    EXPECT_EQ(number(-infinity, decimals), "-1000000000000000000");
    EXPECT_EQ(number(1e-320, decimals), "0");
  }
}

TEST(Clean, ReplacesControlsAndMalformedUtf8) {
  EXPECT_EQ(clean("gpipe µ 深"), "gpipe µ 深");
  EXPECT_EQ(clean("a\x1b[31m\n"), "a?[31m?");
  EXPECT_EQ(clean("\xC0\xAF|\xED\xA0\x80|\xF5|\xE2\x82"), "??|???|?|??");
  EXPECT_EQ(clean("\xC2\x9B|\xEF\xBF\xBF"), "??|???");
}

TEST(Escapes, LeaveNothingThatEndsAnAttributeOrAString) {
  EXPECT_EQ(xml_escaped("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
  EXPECT_EQ(json_escaped("\\\"\n"), "\\\\\\\"?");
}

TEST(TimeUnit, SuitsTheLengthOfAMeasuredTimeline) {
  EXPECT_EQ(time_unit(Level::Symbolic, 33).with_name(33), "33 ticks");
  EXPECT_EQ(time_unit(Level::Symbolic, 1).with_name(1), "1 tick");
  EXPECT_EQ(time_unit(Level::Symbolic, 21).with_name(21), "21 ticks");
  EXPECT_EQ(TimeUnit{}.with_name(123456), "123456 ticks");
  EXPECT_EQ(TimeUnit{}.with_name(12.3456), "12.35 ticks");
  EXPECT_EQ(TimeUnit{}.with_name(1.0 / 3), "0.3333 ticks");
  EXPECT_EQ(TimeUnit{}.with_name(0.0009), "0.0009 ticks");
  EXPECT_EQ(TimeUnit{}.without_name(0.000123456), "0.0001235");
  EXPECT_EQ(TimeUnit{}.without_name(0), "0");
  EXPECT_EQ(time_unit(Level::Replay, 0.0125).with_name(0.0125), "12.5 ms");
  EXPECT_EQ(time_unit(Level::HostThreads, 2).with_name(1.5), "1.5 s");
  EXPECT_EQ(time_unit(Level::HostThreads, 2e-5).name, "µs");
  EXPECT_EQ(time_unit(Level::HostThreads, 2e-5, true).name, "us");
}

TEST(Counted, MakesPlurals) {
  EXPECT_EQ(counted(1, "micro-batch"), "1 micro-batch");
  EXPECT_EQ(counted(2, "micro-batch"), "2 micro-batches");
  EXPECT_EQ(counted(0, "device"), "0 devices");
}

}  // namespace
}  // namespace pipeline
