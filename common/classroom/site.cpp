#include "classroom/site.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "classroom/catalogue.hpp"
#include "classroom/files.hpp"
#include "timeline/svg_style.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// Adds the page in `path`, if there is such a file.
Expected<void> add_page(std::vector<SitePage>& pages, const fs::path& root,
                        SitePage page) {
  std::error_code ignored;
  if (!fs::exists(root / page.path, ignored)) return {};
  auto text = read_file(root / page.path);
  if (!text) return tl::unexpected(text.error());
  page.title = title_of(*text);
  page.text = std::move(*text);
  pages.push_back(std::move(page));
  return {};
}

Expected<void> add_units(std::vector<SitePage>& pages, const fs::path& root,
                         PageKind kind, const std::string& folder,
                         const std::string& prefix) {
  for (const Unit& unit : list_units(root, folder)) {
    std::string path = folder;
    path.append("/").append(unit.folder()).append("/README.md");
    auto added = add_page(pages, root,
                          {.kind = kind,
                           .number = unit.number,
                           .path = std::move(path),
                           .id = prefix + unit.number,
                           .title = {},
                           .text = {}});
    if (!added) return added;
  }
  return {};
}

Expected<void> add_guides(std::vector<SitePage>& pages, const fs::path& root) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "docs", ignored)) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    auto added = add_page(pages, root,
                          {.kind = PageKind::Guide,
                           .number = {},
                           .path = "docs/" + name + ".md",
                           .id = name,
                           .title = {},
                           .text = {}});
    if (!added) return added;
  }
  return {};
}

/// The workbook's headers that a program includes, as it names them.
std::vector<std::string> included_headers(std::string_view source) {
  std::vector<std::string> headers;
  std::istringstream stream{std::string(source)};
  constexpr std::string_view kInclude = "#include \"";
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kInclude)) continue;
    headers.push_back(line.substr(kInclude.size(), line.rfind('"') - kInclude.size()));
  }
  return headers;
}

Expected<void> add_record(PageSources& sources, const fs::path& file,
                          const std::string& number) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  const auto record = parse_record(*text);
  if (!record) {
    return refuse(file.string() + ": " + record.error().what, record.error().remedy);
  }
  sources.records[number] = *record;
  return {};
}

struct Group {
  PageKind kind;
  const char* title;
};
constexpr Group kGroups[] = {{PageKind::Chapter, "Chapters"},
                             {PageKind::Exercise, "Exercises"},
                             {PageKind::Guide, "Guides"}};

constexpr std::string_view kInterfaces =
    R"(    <tab type="usergroup" title="Interfaces">
      <tab type="filelist" visible="yes" title="Headers" intro="The headers of common/, a folder a part, each using only those before it."/>
      <tab type="namespacelist" visible="yes" title="Namespaces"/>
      <tab type="classlist" visible="yes" title="Classes"/>
      <tab type="namespacemembers" visible="yes" title="All names"/>
    </tab>
)";

std::string tab(const SitePage& page) {
  return "<tab type=\"user\" url=\"@ref " + page.id + "\" title=\"" +
         xml_escaped(page.title) + "\"/>\n";
}

}  // namespace

Expected<std::vector<SitePage>> list_site_pages(const fs::path& root) {
  std::vector<SitePage> pages;
  const auto page = [](PageKind kind, const char* path, const char* id) {
    return SitePage{
        .kind = kind, .number = {}, .path = path, .id = id, .title = {}, .text = {}};
  };
  auto added = add_page(pages, root, page(PageKind::Start, "README.md", "index"));
  if (added) {
    added = add_page(pages, root, page(PageKind::Lab, "docs/lab/lab_page.md", "lab"));
  }
  if (added) {
    added =
        add_page(pages, root, page(PageKind::Lab, "docs/lab/build_page.md", "build"));
  }
  if (added) added = add_units(pages, root, PageKind::Chapter, "chapters", "chapter_");
  if (added) {
    added = add_units(pages, root, PageKind::Exercise, "exercises", "exercise_");
  }
  if (added) added = add_guides(pages, root);
  if (!added) return tl::unexpected(added.error());
  return pages;
}

Expected<PageSources> read_page_sources(const fs::path& root) {
  PageSources sources;
  auto pages = list_site_pages(root);
  if (!pages) return tl::unexpected(pages.error());
  sources.pages = std::move(*pages);
  for (const SitePage& page : sources.pages) {
    if (page.kind != PageKind::Chapter) continue;
    const fs::path folder = root / page.folder();
    const auto added = add_record(sources, folder / "recorded.json", page.number);
    if (!added) return tl::unexpected(added.error());
    if (const auto program = read_file(folder / "main.cpp")) {
      sources.headers[page.number] = included_headers(*program);
    }
  }
  const auto files = read_file(root / "docs/lab/files.txt");
  if (!files) return tl::unexpected(files.error());
  std::istringstream stream(*files);
  for (std::string file; stream >> file;) sources.lab_files.push_back(file);
  return sources;
}

std::string site_layout(const std::vector<SitePage>& pages) {
  std::string out = "<doxygenlayout version=\"1.0\">\n  <navindex>\n";
  for (const SitePage& page : pages) {
    if (page.kind == PageKind::Start) {
      out += "    <tab type=\"mainpage\" visible=\"yes\" title=\"Start here\"/>\n";
    }
    if (page.kind == PageKind::Lab) out += "    " + tab(page);
  }
  for (const Group& group : kGroups) {
    out += "    <tab type=\"usergroup\" title=\"" + std::string(group.title) + "\">\n";
    for (const SitePage& page : pages) {
      if (page.kind == group.kind) out += "      " + tab(page);
    }
    out += "    </tab>\n";
  }
  out += kInterfaces;
  return out + "  </navindex>\n</doxygenlayout>\n";
}

std::string figure_colours() {
  const auto rule = [](std::string_view selector, bool dark) {
    std::string out(selector);
    out += " {\n  --pf-ink: ";
    out += dark ? "#e6e8eb" : "#1f2328";
    out += ";\n  --pf-letter: ";
    out += dark ? kLetterDark : kLetterLight;
    out += ";\n  --pf-fade: ";
    out += dark ? "black" : "white";
    for (const Fill& fill : kFills) {
      out += ";\n  --pf-";
      out += fill.css_class;
      out += ": ";
      out += dark ? fill.dark : fill.light;
    }
    return out + ";\n}\n";
  };
  return style_rules() + rule("html.light-mode", false) + rule("html.dark-mode", true) +
         "@media print {\n" + rule("html, html.light-mode, html.dark-mode", false) +
         "}\n";
}

std::string page_list(const std::vector<SitePage>& pages) {
  std::string out = "<ul>\n";
  for (const SitePage& page : pages) {
    if (page.kind == PageKind::Exercise) continue;  // their chapters lead to them
    out += "<li><a href=\"" + page.id + ".html\">" + xml_escaped(page.title) +
           "</a></li>\n";
  }
  return out + "</ul>\n";
}

Expected<void> write_site(const fs::path& root, const fs::path& folder,
                          const PageSources& sources) {
  std::error_code error;
  fs::create_directories(folder / "pages", error);
  for (const SitePage& page : sources.pages) {
    const auto text = doxygen_page(page, sources);
    if (!text) return tl::unexpected(text.error());
    auto written = write_file(folder / "pages" / (page.id + ".md"), *text);
    if (!written) return written;
  }
  auto laid_out = write_file(folder / "layout.xml", site_layout(sources.pages));
  if (!laid_out) return laid_out;
  auto coloured = write_file(folder / "figures.css", figure_colours());
  if (!coloured) return coloured;
  auto header = read_file(root / "docs" / "theme" / "header.html");
  if (!header) return tl::unexpected(header.error());
  constexpr std::string_view kPlace = "<!-- pages -->";
  if (const std::size_t at = header->find(kPlace); at != std::string::npos) {
    header->replace(at, kPlace.size(), page_list(sources.pages));
  }
  return write_file(folder / "header.html", *header);
}

}  // namespace pipeline
