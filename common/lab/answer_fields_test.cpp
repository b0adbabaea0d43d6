// What README.md says of the fields of answers, and what is in real ones.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "lab/answer.hpp"

namespace pipeline {
namespace {

using Json = nlohmann::json;
using Fields = std::set<std::string>;

/// Those of the table below the heading "### `op=…`".
Fields documented(const std::string& op) {
  std::ifstream file(WORKBOOK_ROOT "/common/lab/README.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string heading = "\n### `op=" + op + "`\n";
  const std::size_t begin = text.find(heading);
  if (begin == text.npos) return {};
  const std::size_t end = text.find("\n## ", begin + 1);
  const std::string section =
      text.substr(begin, std::min(end, text.find("\n### ", begin + 1)) - begin);
  Fields fields;
  const std::string row = "\n| `";
  for (std::size_t at = 0; (at = section.find(row, at)) != section.npos;) {
    at += row.size();
    EXPECT_TRUE(fields.insert(section.substr(at, section.find('`', at) - at)).second);
  }
  return fields;
}

void collect(const Json& value, const std::string& path, Fields& fields) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      std::string whole = path;
      whole.append(path.empty() ? "" : ".").append(name);
      fields.insert(whole);
      collect(inner, whole, fields);
    }
  } else if (value.is_array()) {
    for (const Json& inner : value) collect(inner, path + "[]", fields);
  }
}

/// All that the answers to some queries hold, but for `ok`.
Fields real(const std::vector<std::string>& queries) {
  Fields fields;
  for (const std::string& query : queries) {
    const Json answer = Json::parse(lab_answer(query), nullptr, false);
    EXPECT_EQ(answer["ok"], true) << query;
    collect(answer, "", fields);
  }
  fields.erase("ok");
  return fields;
}

const std::vector<std::string> kDrawn{"", "p=64&m=1024"};  // the second without figure

TEST(AnswerFields, AreThoseThatTheReadmeNames) {
  EXPECT_EQ(documented("draw"), real(kDrawn));
  EXPECT_EQ(documented("why"), real({"op=why&entry=1", "op=why&time=5"}));
  EXPECT_EQ(documented("export"), real({"op=export&format=text"}));
  EXPECT_EQ(documented("list"), real({"op=list"}));
  EXPECT_EQ(documented("levels"), real({"op=levels"}));
}

TEST(AnswerFields, OfAComparisonAreThoseOfTwoFigures) {
  EXPECT_EQ(documented("compare"), (Fields{"a", "b"}));
  const Json answer = Json::parse(lab_answer("op=compare&b.p=3"), nullptr, false);
  for (const char* side : {"a", "b"}) {
    Fields fields;
    collect(answer[side], "", fields);
    fields.erase("ok");
    fields.insert("note");
    EXPECT_EQ(fields, documented("draw")) << side;
  }
}

TEST(AnswerFields, OfABoardAreItsOwnAndThoseOfAFigure) {
  Fields fields = documented("board");
  for (const std::string& field : documented("draw")) {
    for (const std::string shared : {"svg", "note", "frame", "cells", "strips"}) {
      if (field == shared || field.starts_with(shared + ".") ||
          field.starts_with(shared + "[")) {
        fields.insert(field);
      }
    }
  }
  EXPECT_EQ(real({"op=board&level=1&moves=0F0.1F1", "op=board&F=0&I=0&W=0"}), fields);
}

}  // namespace
}  // namespace pipeline
