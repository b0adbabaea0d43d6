#include "classroom/site.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/site_text.hpp"

namespace pipeline {
namespace {

SitePage chapter(const std::string& number, const std::string& title,
                 std::string text = "") {
  return {.kind = PageKind::Chapter,
          .number = number,
          .path = "chapters/" + number + "_x/README.md",
          .id = "chapter_" + number,
          .title = number + " · " + title,
          .text = "# " + number + " · " + title + "\n" + std::move(text)};
}

SitePage exercise(const std::string& number) {
  return {.kind = PageKind::Exercise,
          .number = number,
          .path = "exercises/" + number + "_x/README.md",
          .id = "exercise_" + number,
          .title = "Exercise " + number,
          .text = "# Exercise " + number + "\n"};
}

/// Three chapters, the middle one with `text` and an exercise.
PageSources book(const std::string& text) {
  PageSources sources;
  sources.pages = {chapter("01", "ticks"), chapter("02", "waves", text),
                   chapter("03", "balance"), exercise("02"), exercise("02t")};
  sources.lab = [](std::string_view query) {
    if (query.find("p=0") != std::string_view::npos) {
      return std::string(R"({"ok":false,"what":"p is 0","remedy":"Give one."})");
    }
    return std::string(R"({"ok":true,"title":"gpipe","svg":"<svg></svg>",
      "figures":[{"name":"makespan","text":"33 ticks"}],
      "levels":[{"level":3,"title":"A wave","task":"Place all."}]})");
  };
  return sources;
}

/// The page of the middle chapter.
std::string page_of(const PageSources& sources) {
  const auto page = doxygen_page(sources.pages[1], sources);
  EXPECT_TRUE(page) << page.error().what;
  return page ? *page : "";
}
std::string page_of(const std::string& text) { return page_of(book(text)); }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SitePage, BeginsWithItsTitleAndWhatItNeeds) {
  const std::string page = page_of("\n<!-- needs: 01 -->\n\nText.\n");
  EXPECT_TRUE(page.starts_with("# 02 · waves {#chapter_02}\n")) << page;
  EXPECT_TRUE(has(page, "Needs <a href=\"chapter_01.html\">01 · ticks</a>")) << page;
  EXPECT_TRUE(has(page,
                  "Exercise <a href=\"exercise_02.html\">02</a>, "
                  "<a href=\"exercise_02t.html\">02t</a>"))
      << page;
  EXPECT_FALSE(has(page, "needs:")) << page;
}

TEST(SitePage, LeadsToItsNeighbours) {
  const std::string page = page_of("Text.\n");
  EXPECT_TRUE(has(page, "rel=\"prev\" href=\"chapter_01.html\"")) << page;
  EXPECT_TRUE(has(page, "rel=\"next\" href=\"chapter_03.html\"")) << page;
  const PageSources sources = book("");
  const std::string first = *doxygen_page(sources.pages[0], sources);
  EXPECT_FALSE(has(first, "rel=\"prev\"")) << first;
  EXPECT_TRUE(has(first, "rel=\"next\" href=\"chapter_02.html\"")) << first;
}

constexpr const char* kRun =
    "## Predict\n\nHow many?\n\n## Run it\n\nLook:\n\n"
    "```text\n$ ./workbook run 02\nsix\n```\n\n## Why\n\nSo.\n";

TEST(SitePage, FoldsTheAnswerUntilTheSectionEnds) {
  const std::string page = page_of(kRun);
  const std::size_t predict = page.find("How many?");
  const std::size_t opens = page.find("<details");
  const std::size_t answer = page.find("\nsix\n");
  const std::size_t closes = page.find("</details>");
  const std::size_t why = page.find("## Why");
  ASSERT_NE(why, std::string::npos) << page;
  EXPECT_LT(predict, opens);
  EXPECT_LT(opens, answer);
  EXPECT_LT(answer, closes);
  EXPECT_LT(closes, why);
}

TEST(SitePage, SaysThatNothingIsRecordedUntilSomethingIs) {
  PageSources sources = book(kRun);
  EXPECT_TRUE(has(page_of(sources), "No run of this chapter is recorded yet"));
  Record record;
  record.level = "replay";
  RecordedRow row;
  row.what = "ticks";
  record.rows.push_back(row);
  sources.records["02"] = record;
  const std::string page = page_of(sources);
  EXPECT_TRUE(has(page, "level <b>replay</b>")) << page;
  EXPECT_FALSE(has(page, "recorded yet")) << page;
}

TEST(SitePage, ShowsWhatTheProgramPrintsNow) {
  PageSources sources = book(kRun);
  sources.printed["02"] = "seven\n";
  const std::string page = page_of(sources);
  EXPECT_TRUE(has(page, "$ ./workbook run 02\nseven\n```")) << page;
  EXPECT_FALSE(has(page, "six")) << page;
}

TEST(SitePage, TakesItsFigureFromTheProgram) {
  PageSources sources = book("<!-- figure -->\n");
  EXPECT_FALSE(doxygen_page(sources.pages[1], sources));
  sources.figures["02"] = "<svg id=\"a\"></svg>";
  EXPECT_TRUE(has(page_of(sources), "<svg id=\"chapter_02-a\"></svg>"));
}

TEST(SitePage, HoldsTheLabAroundWhatIsThereWithoutIt) {
  PageSources sources = book("<!-- lab: schedule=gpipe&p=4 -->\n");
  sources.lab_files = {"lab.css", "lab.js"};
  const std::string page = page_of(sources);
  EXPECT_TRUE(has(page,
                  "<pipeline-lab query=\"schedule=gpipe&amp;p=4\">\n<figure>"
                  "<svg></svg><figcaption>gpipe"))
      << page;
  EXPECT_TRUE(has(page, "makespan</th><td>33 ticks</td>")) << page;
  EXPECT_TRUE(has(page, "href=\"lab.html#schedule=gpipe&amp;p=4\"")) << page;
  EXPECT_TRUE(has(page, "<script src=\"lab.js\" defer>")) << page;
  EXPECT_TRUE(has(page, "<link rel=\"stylesheet\" href=\"lab.css\">")) << page;
  EXPECT_FALSE(has(page_of("No lab.\n"), "<script"));
}

TEST(SitePage, HoldsALevelWithItsTask) {
  const std::string page = page_of("<!-- level: 3 -->\n");
  EXPECT_TRUE(has(page, "<pipeline-builder level=\"3\">")) << page;
  EXPECT_TRUE(has(page, "Level 3 · A wave.</strong> Place all.")) << page;
}

TEST(SitePage, SaysInWhichPageTheLabRefuses) {
  const PageSources sources = book("<!-- lab: p=0 -->\n");
  const auto page = doxygen_page(sources.pages[1], sources);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().what, "chapters/02_x/README.md, lab: 'p=0': p is 0");
  EXPECT_EQ(page.error().remedy, "Give one.");
}

TEST(SitePage, TakesFormulasAsGitHubHasThem) {
  const std::string page = page_of("```math\na_1\n```\n");
  EXPECT_TRUE(has(page, "\\f[\na_1\n\\f]\n")) << page;
}

TEST(SitePage, NamesTheInterfacesOfItsProgram) {
  PageSources sources = book("Text.\n");
  sources.headers["02"] = {"schedule/generate.hpp"};
  EXPECT_TRUE(
      has(page_of(sources), "\\ref schedule/generate.hpp \"schedule/generate.hpp\""));
}

TEST(SitePage, FoldsHintsOneByOne) {
  PageSources sources = book("");
  sources.pages[3].text = "# Exercise\n\n## Hints\n\n- One\n  more.\n- Two.\n";
  const auto page = doxygen_page(sources.pages[3], sources);
  ASSERT_TRUE(page);
  EXPECT_TRUE(has(*page, "<summary>Hint 1</summary>\n\\endhtmlonly\n\nOne more."))
      << *page;
  EXPECT_TRUE(has(*page, "<summary>Hint 2</summary>\n\\endhtmlonly\n\nTwo.")) << *page;
}

TEST(SitePage, LeavesBlocksAsTheyAre) {
  const std::string block = "```text\nchapter 01 **x** <!-- figure -->\n```\n";
  EXPECT_TRUE(has(page_of(block), block));
}

std::string linked_here(const std::string& prose) {
  const PageSources sources = book("");
  return linked(prose, sources.pages[1], sources.pages);
}

TEST(SiteLinks, LeadFromPageToPage) {
  EXPECT_EQ(linked_here("[so](../01_x/README.md)"), "[so](chapter_01.html)");
  EXPECT_EQ(linked_here("[so](../01_x/README.md#what-it-costs)"),
            "[so](chapter_01.html#chapter_01_what_it_costs)");
  EXPECT_EQ(linked_here("[so](https://example.org/a.html)"),
            "[so](https://example.org/a.html)");
  EXPECT_EQ(linked_here("[a script](../../workbook)"), "a script");
}

TEST(SiteLinks, LeadToFoldersThatAreNamed) {
  EXPECT_EQ(linked_here("`exercises/02_x`: solve it"),
            "<a href=\"exercise_02.html\"><code>exercises/02_x</code></a>: solve it");
  EXPECT_EQ(linked_here("`exercises/07_x` and `x[2](3)`"),
            "`exercises/07_x` and `x[2](3)`");
}

TEST(SiteLinks, LeadToChaptersThatAreNamed) {
  EXPECT_EQ(linked_here("see chapter 01."),
            "see <a href=\"chapter_01.html\">chapter 01</a>.");
  EXPECT_EQ(linked_here("Chapters 01 and\n03 say"),
            "<a href=\"chapter_01.html\">Chapters 01</a> and\n"
            "<a href=\"chapter_03.html\">03</a> say");
  EXPECT_EQ(linked_here("chapter 02, chapter 99, chapter 011, a chapter of 01"),
            "chapter 02, chapter 99, chapter 011, a chapter of 01");
}

TEST(SiteLinks, KeepStrongWordsStrong) {
  EXPECT_EQ(linked_here("takes **(m+p)(F+B)**, 2 ** 3"),
            "takes <b>(m+p)(F+B)</b>, 2 ** 3");
}

TEST(SiteLinks, GiveHeadingsAnchorsThatStay) {
  std::set<std::string> taken;
  const SitePage page = chapter("02", "waves");
  EXPECT_EQ(anchored("## What it costs", page, taken),
            "## What it costs {#chapter_02_what_it_costs}");
  EXPECT_EQ(anchored("### What it costs?", page, taken),
            "### What it costs? {#chapter_02_what_it_costs_2}");
  EXPECT_EQ(anchored("## Own {#own}", page, taken), "## Own {#own}");
}

TEST(SiteFigures, ShareNoIds) {
  EXPECT_EQ(with_ids("<svg aria-labelledby=\"t d\"><g id=\"t\"/><use href=\"#t\"/>"
                     "<path fill=\"url(#t)\"/></svg>",
                     "a-"),
            "<svg aria-labelledby=\"a-t a-d\"><g id=\"a-t\"/><use href=\"#a-t\"/>"
            "<path fill=\"url(#a-t)\"/></svg>");
}

TEST(SiteText, IsReadAt200WordsAMinuteWithoutBlocks) {
  std::string text;
  for (int i = 0; i < 201; ++i) text += "word ";
  EXPECT_EQ(reading_minutes(text), 2);
  EXPECT_EQ(reading_minutes("```text\n" + text + "\n```\nShort.\n"), 1);
}

TEST(SiteText, HasComments) {
  const std::string text = "# T {#id}\n\n<!-- needs: 09 10 -->\n<!-- figure -->\n";
  EXPECT_EQ(title_of(text), "T");
  EXPECT_EQ(comment_value(text, "needs"), "09 10");
  EXPECT_TRUE(has_comment(text, "figure"));
  EXPECT_FALSE(has_comment(text, "lab"));
}

TEST(Site, HasItsPagesInTheOrderOfReading) {
  const auto pages = list_site_pages(WORKBOOK_ROOT);
  ASSERT_TRUE(pages) << pages.error().what;
  ASSERT_GT(pages->size(), 40U);
  EXPECT_EQ((*pages)[0].id, "index");
  EXPECT_EQ((*pages)[1].id, "lab");
  EXPECT_EQ((*pages)[2].id, "build");
  EXPECT_EQ((*pages)[3].id, "chapter_01");
  EXPECT_EQ(pages->back().kind, PageKind::Guide);
}

TEST(Site, OfEveryChapterNeedsOnlyWhatComesBeforeIt) {
  const auto pages = list_site_pages(WORKBOOK_ROOT);
  ASSERT_TRUE(pages) << pages.error().what;
  std::set<std::string> before;
  for (const SitePage& page : *pages) {
    if (page.kind != PageKind::Chapter) continue;
    std::istringstream needs(comment_value(page.text, "needs"));
    for (std::string number; needs >> number;) {
      EXPECT_TRUE(before.contains(number)) << page.path << " needs " << number;
    }
    before.insert(page.number);
  }
  EXPECT_GE(before.size(), 20U);
}

TEST(Site, KeepsRecordsThatAreWhole) {
  const auto sources = read_page_sources(WORKBOOK_ROOT);
  ASSERT_TRUE(sources) << sources.error().what << "\n" << sources.error().remedy;
  for (const auto& [number, record] : sources->records) {
    EXPECT_EQ(record.chapter, number);
  }
  EXPECT_FALSE(sources->headers.at("01").empty());
}

TEST(Site, RefusesARecordThatIsDamaged) {
  const ScratchFolder root;
  std::filesystem::create_directories(root / "chapters/01_x");
  ASSERT_TRUE(write_file(root / "chapters/01_x/README.md", "# 01 · x\n"));
  ASSERT_TRUE(write_file(root / "chapters/01_x/recorded.json", "{"));
  const auto sources = read_page_sources(root.path());
  ASSERT_FALSE(sources);
  EXPECT_TRUE(has(sources.error().what, "recorded.json: a record's text is not JSON"))
      << sources.error().what;
}

TEST(Site, ListsChaptersInTheSidebarAndWithoutIt) {
  const PageSources sources = book("");
  const std::string layout = site_layout(sources.pages);
  EXPECT_TRUE(has(layout,
                  "<tab type=\"usergroup\" title=\"Chapters\">\n"
                  "      <tab type=\"user\" url=\"@ref chapter_01\" "
                  "title=\"01 · ticks\"/>"))
      << layout;
  const std::string list = page_list(sources.pages);
  EXPECT_TRUE(has(list, "<li><a href=\"chapter_03.html\">03 · balance</a></li>"))
      << list;
}

TEST(Site, ColoursFiguresAsTheReaderChose) {
  const std::string css = figure_colours();
  EXPECT_TRUE(has(css, ".pipeline-figure")) << css;
  const std::size_t dark = css.find("html.dark-mode {");
  const std::size_t paper = css.find("@media print");
  ASSERT_NE(dark, std::string::npos) << css;
  EXPECT_TRUE(has(css.substr(dark, paper - dark), "--pf-forward: #1f6ba5")) << css;
  EXPECT_TRUE(has(css.substr(paper), "--pf-forward: #8cc8f0")) << css;
}

TEST(Site, IsWrittenForDoxygen) {
  const ScratchFolder root;
  std::filesystem::create_directories(root / "docs/theme");
  ASSERT_TRUE(write_file(root / "docs/theme/header.html", "<a><!-- pages --></a>"));
  const auto written = write_site(root.path(), root / "out", book("Text.\n"));
  ASSERT_TRUE(written) << written.error().what;
  EXPECT_TRUE(has(*read_file(root / "out/pages/chapter_02.md"), "# 02 · waves"));
  EXPECT_TRUE(has(*read_file(root / "out/header.html"), "chapter_02.html"));
  EXPECT_TRUE(has(*read_file(root / "out/layout.xml"), "chapter_02"));
}

}  // namespace
}  // namespace pipeline
