/// \file
/// One page of the site: from the Markdown that stands in the repository, where it
/// reads well as it is, to Markdown for Doxygen, with links, figures and navigation.
///
/// A page may hold comments, alone on their lines, that only the site sees:
///
///     <!-- needs: 09 10 -->                     chapters to read before this one
///     <!-- figure -->                           what chNN --svg draws
///     <!-- lab: schedule=gpipe&p=4&m=8 -->      the lab, opened at this query
///     <!-- level: 3 -->                         "Build it yourself", at this level
///     <!-- calculator -->                       from one bubble to the others
///
/// and formulas as GitHub has them, ```math, or as Doxygen has them. A comment of
/// several words is a remark, which the site leaves out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/record.hpp"
#include "classroom/site_lab.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What a page is about.
enum class PageKind : std::uint8_t {
  Start,     ///< README.md
  Lab,       ///< the lab, or "Build it yourself"
  Chapter,   ///< chapters/NN_name/README.md
  Exercise,  ///< exercises/NN_name/README.md
  Guide      ///< another page of docs/
};

/// A page as it stands in the repository.
struct SitePage {
  PageKind kind = PageKind::Guide;  ///< what it is about
  std::string number;  ///< "10" of a chapter, "10t" of an exercise; else empty
  std::string path;    ///< in the repository: "chapters/10_gpipe/README.md"
  std::string id;      ///< "chapter_10": the page is chapter_10.html
  std::string title;   ///< "10 · GPipe"
  std::string text;    ///< Markdown, as in the repository

  /// "chapters/10_gpipe".
  std::string folder() const;
};

/// What a page takes from elsewhere, by the chapter's number.
struct PageSources {
  std::vector<SitePage> pages;                 ///< all, in the order of reading
  std::map<std::string, std::string> printed;  ///< by programs that draw a figure
  std::map<std::string, std::string> figures;  ///< SVG, by the same
  std::map<std::string, Record> records;       ///< of runs that were kept
  std::map<std::string, std::vector<std::string>> headers;  ///< that main.cpp includes
  LabAnswers lab;                      ///< answers a query of the lab
  std::vector<std::string> lab_files;  ///< scripts and style sheets, in order
};

/// The script that the calculator's element needs, in docs/lab.
inline constexpr const char* kCalculatorScript = "calculator.js";

/// The title of a page of Markdown: its first line without `#` and `{#…}`.
std::string title_of(std::string_view markdown);

/// What stands in the comment `<!-- key: … -->` of a page, or "" without one.
std::string comment_value(std::string_view markdown, std::string_view key);
/// Whether there is such a comment, with a value or without.
bool has_comment(std::string_view markdown, std::string_view key);

/// Minutes, at 200 words each and rounded up. What programs printed is not counted.
int reading_minutes(std::string_view markdown);

/// The page as Doxygen is to read it. Refused where a comment asks for what is not
/// there, or has a name (a single word) that is none of those above.
Expected<std::string> doxygen_page(const SitePage& page, const PageSources& sources);

/// An SVG whose ids, and what refers to them, begin with `prefix`: two figures of one
/// page must share none.
std::string with_ids(std::string_view svg, std::string_view prefix);

}  // namespace pipeline
