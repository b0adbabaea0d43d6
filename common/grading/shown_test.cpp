#include "grading/shown.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

using namespace std::string_literals;

TEST(Shown, KeepsWhatPeopleWriteInEveryScript) {
  const std::string text =
      "a line\n\tand a tab: \"Ωμέγα\", שלום, 𝄞, "
      "پانته‌آ";  // with a zero width non-joiner, which Persian needs
  EXPECT_EQ(visible(text), text);
}

TEST(Shown, NamesControlCharactersAndLetsLineEndsBe) {
  EXPECT_EQ(visible("a\0b\x1B[31mred\x7F\xC2\x85\r\nend\r"s),
            "a[U+0000]b[U+001B][31mred[U+007F][U+0085]\nend[U+000D]");
  EXPECT_EQ(visible_line("two\nlines\t"), "two[U+000A]lines[U+0009]");
}

TEST(Shown, NamesSignsThatTurnTheDirectionOrThatNobodySees) {
  EXPECT_EQ(visible("user\u202E\u2066nimda\u2069 \u200Fx\uFEFF\u200B\U000E0041"),
            "user[U+202E][U+2066]nimda[U+2069] [U+200F]x[U+FEFF][U+200B][U+E0041]");
}

TEST(Shown, NamesBytesThatAreNoUtf8) {
  // Latin-1, an overlong slash, a surrogate, beyond U+10FFFF, one that breaks off.
  EXPECT_EQ(visible("\xE9!"), "[0xE9]!");
  EXPECT_EQ(visible("\xC0\xAF"), "[0xC0][0xAF]");
  EXPECT_EQ(visible("\xE0\x80\xAF"), "[0xE0][0x80][0xAF]");
  EXPECT_EQ(visible("\xED\xA0\x80"), "[0xED][0xA0][0x80]");
  EXPECT_EQ(visible("\xF4\x90\x80\x80"), "[0xF4][0x90][0x80][0x80]");
  EXPECT_EQ(visible("\xE2\x82"), "[0xE2][0x82]");
  EXPECT_EQ(visible("\xEF\xBF\xBF"), "[U+FFFF]");
}

TEST(Shown, EscapesEverySignThatMarkupGivesAMeaning) {
  EXPECT_EQ(markup("<script>a && 'b' ]]> \"c\"\0"s),
            "&lt;script&gt;a &amp;&amp; &#39;b&#39; ]]&gt; &quot;c&quot;[U+0000]");
}

TEST(Shown, ShortensBetweenCharactersAndSaysByHowMuch) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("aΩΩ", 4), "aΩ\n… 2 bytes more are left out");
}

TEST(Shown, TakesTheActionOutOfFormulas) {
  for (const std::string formula : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    EXPECT_EQ(harmless_cell(formula), "'" + formula);
  }
  EXPECT_EQ(harmless_cell("\t=1"), "[U+0009]=1");
  EXPECT_EQ(harmless_cell("student-01"), "student-01");
}

}  // namespace
}  // namespace pipeline
