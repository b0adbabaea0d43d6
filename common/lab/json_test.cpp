#include "lab/json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace pipeline {
namespace {

std::string written(const std::string& text) {
  JsonWriter json;
  json.value(text);
  return std::move(json).take();
}

TEST(Json, PutsCommasBetweenWhatIsWritten) {
  JsonWriter json;
  json.open('{').field("p", 4).field("name", "a").key("peak").open('[');
  json.value(1.0).value(0.5).null().close(']').key("none").open('{').close('}');
  json.field("ok", true).field("count", std::size_t{3}).close('}');
  EXPECT_EQ(std::move(json).take(),
            R"({"p":4,"name":"a","peak":[1,0.5,null],"none":{},"ok":true,"count":3})");
}

TEST(Json, EscapesWhatIsNoPlainText) {
  EXPECT_EQ(written("a\"b\\c\nd"), R"("a\"b\\c\nd")");
  EXPECT_EQ(written(std::string("\0\t\x1b\x7f", 4)), R"("\u0000\u0009\u001b\u007f")");
  EXPECT_EQ(written("×…深"), "\"×…深\"");
}

TEST(Json, ReplacesMalformedUtf8) {
  EXPECT_EQ(written("a\xff\"b"), R"("a?\"b")");
  EXPECT_EQ(written("\xC0\xAF\xED\xA0\x80"), R"("?????")");
  EXPECT_EQ(written("\xE2\x82"), R"("??")");
}

TEST(Json, IsReadBackWhateverTheTextHolds) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const auto read = nlohmann::json::parse(written(all), nullptr, false);
  ASSERT_TRUE(read.is_string());
  EXPECT_EQ(read.get<std::string>().substr(0, 128), all.substr(0, 128));
}

TEST(Json, HasNoNumberForWhatIsNotFinite) {
  JsonWriter json;
  const double infinity = std::numeric_limits<double>::infinity();
  json.open('[').value(std::numeric_limits<double>::quiet_NaN()).value(infinity);
  json.value(-infinity).value(-0.25).value(std::int64_t{9'007'199'254'740'993});
  json.close(']');
  EXPECT_EQ(std::move(json).take(), "[null,null,null,-0.25,9007199254740993]");
}

TEST(Json, SaysWhatARefusalIsAbout) {
  EXPECT_EQ(refusal_answer({"p", {"p is <odd>", "Take 2."}}),
            R"({"ok":false,"field":"p","what":"p is <odd>","remedy":"Take 2."})");
}

}  // namespace
}  // namespace pipeline
