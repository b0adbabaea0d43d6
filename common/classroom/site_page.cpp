#include "classroom/site_page.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "classroom/catalogue.hpp"
#include "classroom/lines.hpp"
#include "classroom/site_text.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// The line that begins a block of code, and what belongs to its fence.
struct Fence {
  std::string indent;      ///< the blanks before it
  std::size_t length = 0;  ///< its backticks
  std::string language;    ///< what follows them
};

/// The fence that this line opens, if it does.
std::optional<Fence> opened_by(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view rest = line.substr(begin);
  const std::size_t length = std::min(rest.find_first_not_of('`'), rest.size());
  if (length < 3 || rest.find('`', length) != std::string_view::npos) {
    return std::nullopt;
  }
  return Fence{std::string(line.substr(0, begin)), length,
               std::string(trimmed(rest.substr(length)))};
}

/// A block ends at a fence without a language that is as long at least.
bool closes(std::string_view line, const Fence& fence) {
  const auto here = opened_by(line);
  return here && here->language.empty() && here->length >= fence.length;
}

/// The lines that stand in no block of code.
std::vector<std::string> prose_of(std::string_view markdown) {
  std::vector<std::string> prose;
  std::optional<Fence> within;
  for (std::string& line : lines_of(markdown)) {
    if (within) {
      if (closes(line, *within)) within.reset();
    } else if (within = opened_by(line); !within) {
      prose.push_back(std::move(line));
    }
  }
  return prose;
}

bool is_heading(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level > 0 && line.substr(level).starts_with(' ') &&
         !trimmed(line.substr(level)).empty();
}

/// What a line that is a comment has: "lab" and its value; nothing on other lines.
std::optional<std::pair<std::string, std::string>> comment_on(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("<!--") || !line.ends_with("-->")) return std::nullopt;
  const std::string_view inside = trimmed(line.substr(4, line.size() - 7));
  const std::size_t colon = inside.find(':');
  const std::string_view key = trimmed(inside.substr(0, colon));
  const std::string_view value =
      colon == std::string_view::npos ? "" : trimmed(inside.substr(colon + 1));
  return std::pair(std::string(key), std::string(value));
}

std::string html(const std::string& text) {
  return "\\htmlonly[block]\n" + text + "\n\\endhtmlonly\n";
}

/// Writes one page, from top to bottom.
class PageWriter {
 public:
  PageWriter(const SitePage& page, const PageSources& sources)
      : page_(page), sources_(sources) {}

  Expected<std::string> run() {
    const std::vector<std::string> lines = lines_of(page_.text);
    write_title();
    bool title = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (title && lines[i].starts_with("# ")) {
        title = false;
      } else if (const auto fence = opened_by(lines[i])) {
        i = block(lines, i, *fence);
      } else if (page_.kind == PageKind::Exercise && lines[i] == "## Hints") {
        heading(lines[i]);
        write_hints();
        while (i + 1 < lines.size() && !is_heading(lines[i + 1])) ++i;
      } else if (is_heading(lines[i])) {
        heading(lines[i]);
      } else if (const auto comment = comment_on(lines[i])) {
        flush();
        if (const auto done = obey(comment->first, comment->second); !done) {
          return tl::unexpected(done.error());
        }
      } else {
        prose_ += lines[i] + "\n";
      }
    }
    flush();
    unfold();
    write_end();
    return out_;
  }

 private:
  void write_title() {
    out_ += "# " + page_.title;
    if (page_.kind != PageKind::Start) out_ += " {#" + page_.id + "}";
    out_ += "\n\n";
    if (page_.kind == PageKind::Chapter) out_ += html(facts()) + "\n";
    if (page_.kind == PageKind::Exercise) {
      if (const SitePage* of =
              find_chapter(sources_.pages, page_.number.substr(0, 2))) {
        out_ += html("<p class=\"page-facts\">Of chapter " +
                     link_to(*of, xml_escaped(of->title)) + "</p>") +
                "\n";
      }
    }
  }

  /// How long it takes, what comes before, and what is to be done with it.
  std::string facts() const {
    const int minutes = reading_minutes(page_.text);
    std::string line = "<p class=\"page-facts\"><span>" + std::to_string(minutes) +
                       (minutes == 1 ? " minute" : " minutes") + " to read</span>";
    std::string needs;
    std::istringstream numbers(comment_value(page_.text, "needs"));
    for (std::string number; numbers >> number;) {
      if (const SitePage* before = find_chapter(sources_.pages, number)) {
        needs +=
            (needs.empty() ? "" : ", ") + link_to(*before, xml_escaped(before->title));
      }
    }
    line += needs.empty() ? " <span>Needs nothing before it</span>"
                          : " <span>Needs " + needs + "</span>";
    std::string exercises;
    for (const SitePage& each : sources_.pages) {
      if (each.kind != PageKind::Exercise || !each.number.starts_with(page_.number)) {
        continue;
      }
      exercises += (exercises.empty() ? "" : ", ") + link_to(each, each.number);
    }
    if (!exercises.empty()) line += " <span>Exercise " + exercises + "</span>";
    return line + "</p>";
  }

  /// Writes the prose that has come together.
  void flush() {
    out_ += linked(prose_, page_, sources_.pages);
    prose_.clear();
  }

  void heading(const std::string& line) {
    flush();
    if (line.starts_with("## ")) unfold();
    const std::string heading = anchored(line, page_, anchors_);
    out_ += page_.kind == PageKind::Start ? plain(heading) : heading + "\n";
  }

  /// As HTML: Doxygen would list each heading of the first page in the sidebar.
  static std::string plain(const std::string& heading) {
    const std::size_t level = heading.find_first_not_of('#');
    const std::size_t anchor = heading.rfind(" {#");
    const std::string tag = "h" + std::to_string(level - 1);  // as Doxygen counts
    return html("<" + tag + " id=\"" +
                heading.substr(anchor + 3, heading.size() - anchor - 4) + "\">" +
                xml_escaped(heading.substr(level + 1, anchor - level - 1)) + "</" +
                tag + ">");
  }

  /// A fenced block, which begins in line `i`; returns the line that ends it.
  std::size_t block(const std::vector<std::string>& lines, std::size_t i,
                    const Fence& fence) {
    flush();
    const std::string command = "$ ./workbook run " + page_.number;
    const bool answer = page_.kind == PageKind::Chapter && i + 1 < lines.size() &&
                        lines[i + 1] == command;
    const bool formula = fence.language == "math";
    if (answer) fold();
    out_ += formula ? fence.indent + "\\f[\n" : lines[i] + "\n";
    const auto printed = sources_.printed.find(page_.number);
    const bool now = answer && printed != sources_.printed.end();
    if (now) out_ += command + "\n" + printed->second;
    for (++i; i < lines.size() && !closes(lines[i], fence); ++i) {
      if (!now) out_ += lines[i] + "\n";
    }
    out_ += fence.indent + (formula ? "\\f]" : std::string(fence.length, '`')) + "\n";
    return i;
  }

  /// One by one, as `./workbook hint` gives them.
  void write_hints() {
    int number = 0;
    for (const std::string& hint : parse_hints(page_.text)) {
      out_ += "\n" +
              html("<details class=\"answer\"><summary>Hint " +
                   std::to_string(++number) + "</summary>") +
              "\n" + linked(hint, page_, sources_.pages) + "\n\n" + html("</details>");
    }
  }

  /// From here to the end of the section is the answer, which is to be predicted first.
  void fold() {
    out_ += html(
                "<details class=\"answer\"><summary>My prediction is written down: "
                "show what <code>./workbook run " +
                page_.number + "</code> prints</summary>") +
            "\n";
    folded_ = true;
  }

  void unfold() {
    if (!folded_) return;
    folded_ = false;
    const auto record = sources_.records.find(page_.number);
    out_ += "\n";
    if (record != sources_.records.end()) {
      out_ += html(as_table(record->second));
    } else {
      out_ += html(
          "<p class=\"recorded\">No run of this chapter is recorded yet: "
          "<code>./workbook record " +
          page_.number + "</code> makes one.</p>");
    }
    out_ += html("</details>") + "\n";
  }

  Expected<void> obey(const std::string& key, const std::string& value) {
    if (key == "needs") return {};
    Expected<std::string> made = "";
    if (key == "figure") {
      made = figure();
    } else if (key == "lab") {
      made = lab_figure(value, sources_.lab);
    } else if (key == "level") {
      made = level_figure(value, sources_.lab);
    } else if (key == "calculator") {
      made = calculator();
    } else if (key.find(' ') == std::string::npos) {
      made = refuse("no comment of that name becomes anything",
                    "Write needs, figure, lab, level or calculator; a remark has "
                    "several words.");
    }
    if (!made) {
      return refuse(page_.path + ", " + key + ": " + made.error().what,
                    made.error().remedy);
    }
    if (key == "lab" || key == "level") write_lab_heading(key);
    if (!made->empty()) out_ += html(*made) + "\n";
    return {};
  }

  /// Before the first of them on a page of prose.
  void write_lab_heading(const std::string& key) {
    if (page_.kind == PageKind::Chapter && !live_) {
      unfold();
      out_ += "## In the lab {#" + page_.id + "_lab}\n\n";
      if (key == "lab") out_ += "The same case, to be changed: see what moves.\n\n";
    }
    live_ = true;
  }

  Expected<std::string> figure() const {
    const auto found = sources_.figures.find(page_.number);
    if (found == sources_.figures.end()) {
      return refuse("no program drew it",
                    "Only a chapter with a program has a figure.");
    }
    return "<figure>" + with_ids(found->second, page_.id + "-") +
           "<figcaption>Drawn by <code>./workbook run " + page_.number +
           " --svg</code></figcaption></figure>";
  }

  static std::string calculator() {
    return "<pipeline-calculator></pipeline-calculator>\n<script src=\"" +
           std::string(kCalculatorScript) + "\" defer></script>";
  }

  void write_end() {
    const auto headers = sources_.headers.find(page_.number);
    if (page_.kind == PageKind::Chapter && headers != sources_.headers.end()) {
      out_ += "\nThe interfaces that its program, `" + page_.folder() +
              "/main.cpp`, is written in:";
      std::string separator = " ";
      for (const std::string& header : headers->second) {
        out_ += separator;
        out_ += "\\ref ";
        out_ += header;
        out_ += " \"";
        out_ += header;
        out_ += "\"";
        separator = ", ";
      }
      out_ += ".\n";
    }
    if (page_.kind == PageKind::Chapter) out_ += "\n" + html(neighbours());
    if (live_ || page_.kind == PageKind::Lab)
      out_ += "\n" + html(lab_scripts(sources_.lab_files));
  }

  /// Links to the chapters before and after.
  std::string neighbours() const {
    const SitePage* before = nullptr;
    const SitePage* after = nullptr;
    bool passed = false;
    for (const SitePage& each : sources_.pages) {
      if (each.kind != PageKind::Chapter) continue;
      if (each.id == page_.id) {
        passed = true;
      } else if (!passed) {
        before = &each;
      } else if (after == nullptr) {
        after = &each;
      }
    }
    std::string nav = "<nav class=\"neighbours\" aria-label=\"Chapters\">";
    if (before != nullptr) {
      nav += "<a rel=\"prev\" href=\"" + before->id + ".html\"><span>Before</span> " +
             xml_escaped(before->title) + "</a>";
    }
    if (after != nullptr) {
      nav += "<a rel=\"next\" href=\"" + after->id + ".html\"><span>Next</span> " +
             xml_escaped(after->title) + "</a>";
    }
    return nav + "</nav>";
  }

  const SitePage& page_;
  const PageSources& sources_;
  std::string out_;
  std::string prose_;
  std::set<std::string> anchors_;
  bool folded_ = false;
  bool live_ = false;
};

}  // namespace

std::string SitePage::folder() const { return path.substr(0, path.rfind('/')); }

std::string title_of(std::string_view markdown) {
  std::string_view line = markdown.substr(0, markdown.find('\n'));
  line = line.substr(0, line.find("{#"));
  const std::size_t begin = line.find_first_not_of("# ");
  return begin == std::string_view::npos ? ""
                                         : std::string(trimmed(line.substr(begin)));
}

std::string comment_value(std::string_view markdown, std::string_view key) {
  for (const std::string& line : prose_of(markdown)) {
    const auto comment = comment_on(line);
    if (comment && comment->first == key) return comment->second;
  }
  return "";
}

bool has_comment(std::string_view markdown, std::string_view key) {
  const std::vector<std::string> lines = prose_of(markdown);
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const auto comment = comment_on(line);
    return comment && comment->first == key;
  });
}

int reading_minutes(std::string_view markdown) {
  constexpr int kWordsAMinute = 200;
  int words = 0;
  for (const std::string& line : prose_of(markdown)) {
    if (comment_on(line)) continue;
    std::istringstream stream(line);
    for (std::string word; stream >> word;) ++words;
  }
  return std::max(1, (words + kWordsAMinute - 1) / kWordsAMinute);
}

std::string with_ids(std::string_view svg, std::string_view prefix) {
  std::string out;
  while (!svg.empty()) {
    // id="x", href="#x", url(#x), aria-labelledby="x y"
    std::size_t nearest = std::string_view::npos;
    std::size_t length = 0;
    for (const std::string_view mark :
         {" id=\"", "href=\"#", "url(#", "aria-labelledby=\""}) {
      const std::size_t found = svg.find(mark);
      if (found < nearest) {
        nearest = found;
        length = mark.size();
      }
    }
    if (nearest == std::string_view::npos) break;
    const bool several = svg.substr(nearest).starts_with("aria");
    out += svg.substr(0, nearest + length);
    out += prefix;
    svg.remove_prefix(nearest + length);
    if (!several) continue;
    const std::size_t end = svg.find('"');
    for (const char c : svg.substr(0, end)) {
      out += c;
      if (c == ' ') out += prefix;
    }
    svg.remove_prefix(std::min(end, svg.size()));
  }
  return out + std::string(svg);
}

Expected<std::string> doxygen_page(const SitePage& page, const PageSources& sources) {
  return PageWriter(page, sources).run();
}

}  // namespace pipeline
