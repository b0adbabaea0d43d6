/// \file
/// The prose of a page: its links, which lead from file to file in the repository, lead
/// from page to page on the site.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/site_page.hpp"

namespace pipeline {

/// `prose`, some lines without fenced blocks, with links to pages in the place of
///
/// - links to their files: `[ticks](chapters/01_ticks/README.md)`;
/// - the names of their folders: `exercises/01_ticks`, in backticks;
/// - chapters that are named: "chapter 13", "chapters 10 and 13".
///
/// Links to other files become their names alone: the site holds no such file.
std::string linked(std::string_view prose, const SitePage& from,
                   const std::vector<SitePage>& pages);

/// A link to a page, as HTML. `text` is HTML too.
std::string link_to(const SitePage& page, std::string_view text);

/// The chapter of this number, or nullptr.
const SitePage* find_chapter(const std::vector<SitePage>& pages,
                             std::string_view number);

/// A heading, `## Why`, with an anchor that stays what it is when others come and go:
/// `## Why {#chapter_01_why}`. It is GitHub's, with _ for each hyphen and after the
/// page's id, so that links lead to it here and there; where several headings of a page
/// read alike, the second ends in _1. One that has its own keeps it. `taken` are those
/// of the page so far.
std::string anchored(std::string_view heading, const SitePage& on,
                     std::set<std::string>& taken);

}  // namespace pipeline
