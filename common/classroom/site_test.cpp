#include "classroom/site.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/chapter_page.hpp"
#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/site_text.hpp"
#include "lab/answer.hpp"
#include "lab/levels.hpp"
#include "timeline/svg_style.hpp"

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

/// Why the middle chapter with this text is refused; "" if it is not.
std::string refusal_of(const std::string& text) {
  const PageSources sources = book(text);
  const auto page = doxygen_page(sources.pages[1], sources);
  return page ? "" : page.error().what;
}

TEST(SitePage, HoldsALevelWithItsTask) {
  const std::string page = page_of("<!-- level: 3 -->\n");
  EXPECT_TRUE(has(page, "<pipeline-builder level=\"3\">")) << page;
  EXPECT_TRUE(has(page, "Level 3 · A wave.</strong> Place all.")) << page;
}

TEST(SitePage, RefusesALevelThatIsNone) {
  for (const std::string level : {"4", "03", "3x", "3&p=0", "\"><b>", ""}) {
    EXPECT_EQ(refusal_of("<!-- level: " + level + " -->\n"),
              "chapters/02_x/README.md, level: there is no level '" + level + "'");
  }
}

TEST(SitePage, RefusesACommentThatBecomesNothing) {
  for (const std::string comment : {"levle: 6", "levle", "TODO: more"}) {
    const std::string key = comment.substr(0, comment.find(':'));
    EXPECT_EQ(refusal_of("<!-- " + comment + " -->\n"),
              "chapters/02_x/README.md, " + key +
                  ": no comment of that name becomes anything");
  }
  EXPECT_EQ(refusal_of("<!-- why this is so: see below -->\n<!-- a remark -->\n"), "");
}

TEST(SitePage, EscapesTitlesOfOtherPages) {
  PageSources sources = book("<!-- needs: 01 -->\n");
  sources.pages[0].title = "p < m & more";
  sources.pages[2].title = "m > p";
  const std::string page = page_of(sources);
  EXPECT_TRUE(has(page, "Needs <a href=\"chapter_01.html\">p &lt; m &amp; more</a>"))
      << page;
  EXPECT_TRUE(has(page, "<span>Before</span> p &lt; m &amp; more</a>")) << page;
  EXPECT_TRUE(has(page, "<span>Next</span> m &gt; p</a>")) << page;
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
  EXPECT_TRUE(
      has(page_of("- x\n\n  ```math\n  a_1\n  ```\n"), "  \\f[\n  a_1\n  \\f]\n"));
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

TEST(SitePage, EndsABlockAtAFenceThatIsAsLongAtLeast) {
  const std::string block =
      "- x\n\n  ````text\n  ```\n  chapter 01\n  ```text\n  ````\n";
  const std::string page = page_of(block + "chapter 03\n");
  EXPECT_TRUE(has(page, block)) << page;
  EXPECT_TRUE(has(page, "<a href=\"chapter_03.html\">chapter 03</a>")) << page;
  const std::string shorter = "```text\nchapter 01\n`````\n";
  EXPECT_TRUE(has(page_of(shorter + "chapter 03\n"), "text\nchapter 01\n```\n"));
  EXPECT_TRUE(has(page_of(shorter + "chapter 03\n"), "chapter_03.html\">chapter 03"));
}

TEST(SitePage, TakesForHeadingsWhatHasAText) {
  const std::string page = page_of("#\n\n##\n\n#define\n\n## Why\n");
  EXPECT_TRUE(has(page, "\n#\n\n##\n\n#define\n\n## Why {#chapter_02_why}\n")) << page;
}

std::string linked_here(const std::string& prose) {
  const PageSources sources = book("");
  return linked(prose, sources.pages[1], sources.pages);
}

TEST(SiteLinks, LeadFromPageToPage) {
  EXPECT_EQ(linked_here("[so](../01_x/README.md)"), "[so](chapter_01.html)");
  EXPECT_EQ(linked_here("[so](../01_x/README.md#what-it-costs)"),
            "[so](chapter_01.html#chapter_01_what_it_costs)");
  EXPECT_EQ(linked_here("[so](#1f1b---and-more)"),
            "[so](chapter_02.html#chapter_02_1f1b___and_more)");
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
  // A digit that the text ends with.
  EXPECT_EQ(linked_here("chapter 01 with m=4"),
            "<a href=\"chapter_01.html\">chapter 01</a> with m=4");
  EXPECT_EQ(linked_here("chapter 4"), "chapter 4");
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
            "### What it costs? {#chapter_02_what_it_costs_1}");
  EXPECT_EQ(anchored("## 1F1B - and more", page, taken),
            "## 1F1B - and more {#chapter_02_1f1b___and_more}");
  EXPECT_EQ(anchored("## Warm-up · lateness", page, taken),
            "## Warm-up · lateness {#chapter_02_warm_up__lateness}");
  EXPECT_EQ(anchored("#", page, taken), "# {#chapter_02_}");
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
  EXPECT_EQ(reading_minutes("````text\n```\n" + text + "\n````\nShort.\n"), 1);
}

TEST(SiteText, HasComments) {
  const std::string text = "# T {#id}\n\n<!-- needs: 09 10 -->\n<!-- figure -->\n";
  EXPECT_EQ(title_of(text), "T");
  EXPECT_EQ(comment_value(text, "needs"), "09 10");
  EXPECT_TRUE(has_comment(text, "figure"));
  EXPECT_FALSE(has_comment(text, "lab"));
  EXPECT_FALSE(has_comment("```text\n<!-- lab: p=4 -->\n```\n", "lab"));
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

/// The sources of the real pages, with a figure for each chapter.
PageSources real_sources() {
  auto sources = read_page_sources(WORKBOOK_ROOT);
  if (!sources) {
    ADD_FAILURE() << sources.error().what << "\n" << sources.error().remedy;
    return {};
  }
  sources->lab = lab_answer;
  for (const SitePage& page : sources->pages) sources->figures[page.number] = "<svg/>";
  return std::move(*sources);
}

TEST(Site, KeepsARecordOfEachChapterWithTheRowsOfItsTable) {
  const PageSources sources = real_sources();
  for (const SitePage& page : sources.pages) {
    if (page.kind != PageKind::Chapter) continue;
    const auto found = sources.records.find(page.number);
    ASSERT_NE(found, sources.records.end())
        << "./workbook record " << page.number << " makes the record";
    EXPECT_EQ(found->second.chapter, page.number);
    EXPECT_FALSE(sources.headers.at(page.number).empty());
    std::vector<std::string> recorded;
    for (const RecordedRow& row : found->second.rows) recorded.push_back(row.what);
    EXPECT_EQ(recorded, rows_on_page(page.text, "./workbook run " + page.number))
        << "./workbook record " << page.number << " makes it anew";
  }
}

TEST(Site, FoldsTheAnswerOfEveryChapter) {
  const PageSources sources = real_sources();
  for (const SitePage& page : sources.pages) {
    const auto made = doxygen_page(page, sources);
    ASSERT_TRUE(made) << made.error().what << "\n" << made.error().remedy;
    if (page.kind == PageKind::Chapter) {
      EXPECT_TRUE(has(*made, "show what <code>./workbook run " + page.number))
          << page.path;
    }
  }
}

TEST(Site, ShowsEveryLevelInItsChapterWhichHasItSolvedByHand) {
  const std::filesystem::path root = WORKBOOK_ROOT;
  const PageSources sources = real_sources();
  const std::vector<Unit> exercises = list_units(root, "exercises");
  for (const BoardLevel& level : levels()) {
    const std::string number = std::to_string(level.number);
    const SitePage* page = find_chapter(sources.pages, level.chapter);
    ASSERT_NE(page, nullptr) << number;
    EXPECT_TRUE(has(page->text, "\n<!-- level: " + number + " -->\n"))
        << page->path << " shows no level " << number;
    const auto exercise =
        find_unit(exercises, "exercise", std::string(level.chapter) + "h");
    ASSERT_TRUE(exercise) << "level " << number << ": " << exercise.error().what;
    const auto contract =
        read_file(root / "exercises" / exercise->folder() / "exercise.hpp");
    EXPECT_TRUE(has(contract.value_or(""), " level_" + number + "();"))
        << exercise->folder() << " declares no level_" << number << "()";
  }
}

/// The targets of the links of a page, `[text](target)`, that lead into the repository.
std::vector<std::string> relative_targets(const SitePage& page) {
  std::vector<std::string> targets;
  const std::string& text = page.text;
  for (std::size_t at = text.find("]("); at != std::string::npos;
       at = text.find("](", at + 1)) {
    std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    target = target.substr(0, target.find('#'));
    const bool elsewhere = target.empty() || target.find(':') != std::string::npos ||
                           target.find(' ') != std::string::npos ||
                           target.ends_with(".html");
    if (!elsewhere) targets.push_back(target);
  }
  return targets;
}

// On the site a link to what is no page becomes a plain text; so no test there sees
// whether it leads anywhere.
TEST(Site, LinksOnlyToWhatStandsInTheRepository) {
  const PageSources sources = real_sources();
  const std::filesystem::path root = WORKBOOK_ROOT;
  std::size_t links = 0;
  for (const SitePage& page : sources.pages) {
    for (const std::string& target : relative_targets(page)) {
      ++links;
      EXPECT_TRUE(std::filesystem::exists((root / page.path).parent_path() / target))
          << page.path << " links to " << target;
    }
  }
  EXPECT_GT(links, 20U);
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
  EXPECT_TRUE(css.starts_with(style_rules())) << css;
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
  EXPECT_EQ(*read_file(root / "out/figures.css"), figure_colours());
}

}  // namespace
}  // namespace pipeline
