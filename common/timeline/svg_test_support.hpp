/// \file
/// A reader of well-formed XML, as small as it can be, for the tests of figures.
/// Private to them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "timeline/draw_svg.hpp"

namespace pipeline {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::size_t parent = 0;

  double number(const std::string& key) const { return std::stod(attributes.at(key)); }
  bool has_class(const std::string& css) const {
    const auto at = attributes.find("class");
    return at != attributes.end() &&
           (" " + at->second + " ").find(" " + css + " ") != std::string::npos;
  }
};

/// The elements in document order, or nothing where `xml` is not well-formed.
inline std::vector<Element> parse(const std::string& xml) {
  std::vector<Element> elements;
  std::vector<std::size_t> open;
  std::size_t at = 0;
  const auto bad = [&](const char* why) {
    ADD_FAILURE() << why << " at " << at << ": " << xml.substr(at, 60);
    return std::vector<Element>();
  };
  while (at < xml.size()) {
    if (xml[at] != '<') {
      const std::size_t end = std::min(xml.find('<', at), xml.size());
      std::string text = xml.substr(at, end - at);
      for (std::size_t amp = text.find('&'); amp != std::string::npos;
           amp = text.find('&', amp + 1)) {
        const std::string entity = text.substr(amp, text.find(';', amp) - amp + 1);
        if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" &&
            entity != "&quot;")
          return bad("unknown entity");
      }
      if (!open.empty()) elements[open.back()].text += text;
      if (open.empty() && text.find_first_not_of(" \n") != std::string::npos)
        return bad("text outside the root");
      at = end;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return bad("unclosed tag");
    std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return bad("'<' in a tag");
    if (tag.starts_with("/")) {
      if (open.empty() || elements[open.back()].name != tag.substr(1))
        return bad("closes another element");
      open.pop_back();
      at = end + 1;
      continue;
    }
    const bool empty = tag.ends_with("/");
    if (empty) tag.pop_back();
    Element element;
    std::size_t cursor = tag.find(' ');
    element.name = tag.substr(0, cursor);
    while (cursor != std::string::npos && cursor < tag.size()) {
      const std::size_t equals = tag.find("=\"", cursor);
      const std::size_t quote = tag.find('"', equals + 2);
      if (equals == std::string::npos || quote == std::string::npos)
        return bad("attribute without a value");
      const std::string key = tag.substr(cursor + 1, equals - cursor - 1);
      const std::string value = tag.substr(equals + 2, quote - equals - 2);
      if (!element.attributes.emplace(key, value).second) return bad("attribute twice");
      cursor = quote + 1;
      if (cursor < tag.size() && tag[cursor] != ' ') return bad("no blank");
    }
    if (open.empty() && !elements.empty()) return bad("second root");
    element.parent = open.empty() ? 0 : open.back();
    elements.push_back(element);
    if (!empty) open.push_back(elements.size() - 1);
    at = end + 1;
  }
  if (!open.empty()) return bad("element left open");
  return elements;
}

inline std::vector<Element> of_class(const std::vector<Element>& all,
                                     const std::string& name, const std::string& css) {
  std::vector<Element> found;
  for (const Element& element : all)
    if (element.name == name && element.has_class(css)) found.push_back(element);
  return found;
}

inline SvgStyle of_width(std::int32_t width) {
  SvgStyle style;
  style.width = width;
  return style;
}

}  // namespace pipeline
