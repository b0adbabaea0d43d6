/// \file
/// The site as a whole: which pages there are and in which order, and what Doxygen is
/// to make of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/site_page.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// The pages that stand in the tree, in the order of reading: README.md, the lab, the
/// chapters, the exercises, the guides. Refused where one of them cannot be read.
Expected<std::vector<SitePage>> list_site_pages(const std::filesystem::path& root);

/// What of a page's sources is in the tree: pages, records, the headers of programs,
/// the lab's files. The lab itself, and what programs print, are the caller's to add.
/// Refused where a page or the list of the lab's files cannot be read, or a record is
/// damaged.
Expected<PageSources> read_page_sources(const std::filesystem::path& root);

/// Doxygen's layout file: the pages by chapter, in the sidebar, before the interfaces.
std::string site_layout(const std::vector<SitePage>& pages);

/// A style sheet for the figures that bring none, as the lab's; and the colours of all
/// of them where the reader has chosen a light or a dark page, and on paper.
std::string figure_colours();

/// A list of links for a page whose sidebar needs JavaScript that is not there.
std::string page_list(const std::vector<SitePage>& pages);

/// Writes what Doxygen reads into `folder`: pages, layout, colours, header. Refused
/// where a page is (`doxygen_page`), where docs/theme/header.html cannot be read, and
/// where `folder` cannot be written to.
Expected<void> write_site(const std::filesystem::path& root,
                          const std::filesystem::path& folder,
                          const PageSources& sources);

}  // namespace pipeline
