#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lab/answer.hpp"

namespace pipeline {
namespace {

TEST(LabWhy, SaysWhatAnActionWaitsForAndWhatItUnlocks) {
  EXPECT_EQ(lab_answer("op=why&schedule=forward&p=2&m=2&device=1&entry=1"),
            R"({"ok":true,"action":"F1","span":[2,3],"waits":"F1 could not start )"
            R"(earlier: device 1 was busy with F0 until 2 ticks.","unlocks":[],)"
            R"("critical":true})");
  const std::string first = lab_answer("op=why&schedule=1f1b&p=2&m=2&entry=0");
  EXPECT_NE(first.find(R"("unlocks":["F1 starts at 1 tick, when F0 leaves device 0 )"),
            std::string::npos)
      << first;
}

TEST(LabWhy, SaysWhyABubbleExists) {
  const std::string gap = lab_answer("op=why&schedule=1f1b&p=4&m=8&device=0&time=5");
  EXPECT_TRUE(
      gap.starts_with(R"({"ok":true,"gap":[4,10],"why":"This bubble exists because )"))
      << gap;
}

TEST(LabWhy, RefusesPlacesThatAreNotThereByTheirKey) {
  const auto field = [](std::string_view keys) {
    std::string reply = lab_answer("op=why&schedule=1f1b&p=4&m=8&" + std::string(keys));
    constexpr std::string_view kStart = R"({"ok":false,"field":")";
    if (!reply.starts_with(kStart)) return reply;
    return reply.substr(kStart.size(), reply.find('"', kStart.size()) - kStart.size());
  };
  EXPECT_EQ(field("device=4&entry=0"), "device");
  EXPECT_EQ(field("device=0&entry=99"), "entry");
  EXPECT_EQ(field("device=0&time=0.5"), "time");
  EXPECT_EQ(field("device=0&time=x"), "time");
  EXPECT_EQ(field("device=0&gap=1"), "gap");
  EXPECT_EQ(field("device=0&entry=1&time=5"), "time");
  EXPECT_EQ(lab_answer("op=why&device=0&entry=1&time="),
            lab_answer("op=why&device=0&entry=1"));
}

TEST(LabDraw, GivesEachDevicesMemoryFromMomentToMoment) {
  const std::string reply = lab_answer("op=draw&schedule=gpipe&p=2&m=2");
  EXPECT_NE(reply.find(R"({"device":0,"peak":2,"limit":null,)"
                       R"("points":[[0,1],[1,2],[7,1],[9,0]]})"),
            std::string::npos)
      << reply.substr(reply.find("strips"), 300);
}

}  // namespace
}  // namespace pipeline
