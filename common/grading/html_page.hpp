/// \file
/// The frame of a page that needs no other file and no network: one look in light and
/// dark, on paper, and down to the width of a phone. Pages are XML too, so that any
/// parser can tell whether a text broke out of its place.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

/// What a page shows.
struct HtmlPage {
  std::string title;        ///< a text, not markup
  std::string body;         ///< markup
  std::string_view script;  ///< without `<` and `&`; empty: the page may run none
};

/// The whole file. A Content-Security-Policy allows its own style and, by the hash,
/// its own script, and nothing else.
std::string html_page(const HtmlPage& page);

/// `<NAME CLASS>TEXT</NAME>` with the text escaped.
std::string element(std::string_view name, std::string_view text,
                    std::string_view css_class = {});

/// A name or an id that may be written from right to left, kept from what is around it.
std::string isolated(std::string_view text);

/// At most `bytes` of a text as it is, line by line.
std::string preformatted(std::string_view text, std::size_t bytes);

}  // namespace pipeline
