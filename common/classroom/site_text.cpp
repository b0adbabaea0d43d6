#include "classroom/site_text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace pipeline {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// What GitHub's anchor of these words is, with _ for each of its hyphens: Doxygen's
/// anchors hold none.
std::string anchor_words(std::string_view words) {
  std::string anchor;
  for (const char c : words) {
    if (is_word(c)) {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ' || c == '-' || c == '_') {
      anchor += '_';
    }
  }
  return anchor;
}

/// Goes through the text once. Each `…_at` returns how far it has come when there is
/// such a thing at `at_`, else 0, and has then written what takes its place.
class Linker {
 public:
  Linker(std::string_view text, const SitePage& from,
         const std::vector<SitePage>& pages)
      : text_(text), from_(from), pages_(pages) {}

  std::string run() {
    while (at_ < text_.size()) {
      std::size_t length = code_here();
      if (length == 0) length = strong_here();
      if (length == 0) length = link_here();
      if (length == 0) length = tag_here();
      if (length == 0) length = chapter_here();
      if (length == 0) {
        out_ += text_[at_];
        length = 1;
      }
      at_ += length;
    }
    return out_;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  const SitePage* page_at(std::string_view path) const {
    const auto found =
        std::find_if(pages_.begin(), pages_.end(), [&](const SitePage& page) {
          return page.path == path || (!page.number.empty() && page.folder() == path);
        });
    return found == pages_.end() ? nullptr : &*found;
  }

  /// `exercises/01_ticks`, or any other code.
  std::size_t code_here() {
    const std::size_t ticks = std::min(rest().find_first_not_of('`'), rest().size());
    if (ticks == 0) return 0;
    const std::string_view fence = rest().substr(0, ticks);
    const std::size_t end = rest().find(fence, ticks);
    if (end == std::string_view::npos) return 0;
    const std::string_view code = rest().substr(0, end + ticks);
    const SitePage* page = page_at(rest().substr(ticks, end - ticks));
    if (page == nullptr || page->id == from_.id) {
      out_ += code;
    } else {
      out_ += link_to(*page, "<code>" + page->folder() + "</code>");
    }
    return code.size();
  }

  /// **text**, as HTML: Doxygen knows none that begins or ends with a parenthesis.
  std::size_t strong_here() {
    if (!rest().starts_with("**") || rest().substr(2).starts_with(" ")) return 0;
    const std::size_t end = rest().find("**", 2);
    if (end == std::string_view::npos) return 0;
    const std::string_view text = rest().substr(2, end - 2);
    if (text.empty() || text.find("\n\n") != std::string_view::npos) return 0;
    out_ += "<b>" + linked(text, from_, pages_) + "</b>";
    return end + 2;
  }

  /// [text](target). The text may hold code.
  std::size_t link_here() {
    if (rest().front() != '[') return 0;
    const std::size_t middle = rest().find("](");
    const std::size_t end = rest().find(')', middle);
    if (middle == std::string_view::npos || end == std::string_view::npos) return 0;
    const std::string_view text = rest().substr(1, middle - 1);
    if (text.find('[') != std::string_view::npos) return 0;
    const std::string_view target = rest().substr(middle + 2, end - middle - 2);
    out_ += link(text, target);
    return end + 1;
  }

  std::string link(std::string_view text, std::string_view target) const {
    const bool elsewhere = target.find(':') != std::string_view::npos ||
                           target.find("ref ") != std::string_view::npos ||
                           target.ends_with(".html") ||
                           target.find(".html#") != std::string_view::npos;
    if (elsewhere) {
      return "[" + std::string(text) + "](" + std::string(target) + ")";
    }
    const std::string_view file = target.substr(0, target.find('#'));
    const std::string_view anchor = target.substr(file.size());
    const auto path = file.empty() ? std::filesystem::path(from_.path)
                                   : std::filesystem::path(from_.path).parent_path() /
                                         std::string(file);
    const SitePage* page = page_at(path.lexically_normal().generic_string());
    if (page == nullptr) return std::string(text);
    const std::string place =
        anchor.empty() ? "" : "#" + page->id + "_" + anchor_words(anchor.substr(1));
    return "[" + std::string(text) + "](" + page->id + ".html" + place + ")";
  }

  std::size_t tag_here() {
    if (rest().front() != '<' || rest().size() < 2) return 0;
    if (!is_word(rest()[1]) && rest()[1] != '/' && rest()[1] != '!') return 0;
    const std::size_t end = rest().find('>');
    if (end == std::string_view::npos) return 0;
    out_ += rest().substr(0, end + 1);
    return end + 1;
  }

  /// "chapter 13", "chapters 10 and 13", "Chapters 10, 12 and 13".
  std::size_t chapter_here() {
    if (at_ > 0 && is_word(text_[at_ - 1])) return 0;
    if (!rest().starts_with("chapter") && !rest().starts_with("Chapter")) return 0;
    std::size_t length = std::string_view("chapter").size();
    if (rest().substr(length).starts_with("s")) ++length;
    std::string written;
    bool any = false;
    while (true) {
      const std::size_t number = next_number(length);
      if (number == std::string_view::npos) break;
      const SitePage* page = find_chapter(pages_, rest().substr(number, 2));
      if (page == nullptr || page->id == from_.id) break;
      if (any) {
        written += rest().substr(length, number - length);
        written += link_to(*page, rest().substr(number, 2));
      } else {
        written = link_to(*page, rest().substr(0, number + 2));
      }
      any = true;
      length = number + 2;
    }
    if (!any) return 0;
    out_ += written;
    return length;
  }

  /// Where the next two digits begin, after blanks, a comma, "and" or "to".
  std::size_t next_number(std::size_t after) const {
    std::string_view between = rest().substr(after);
    const std::size_t digits = between.find_first_of("0123456789");
    if (digits == std::string_view::npos || digits + 1 >= between.size() ||
        !is_digit(between[digits + 1])) {
      return std::string_view::npos;
    }
    if (digits + 2 < between.size() && is_word(between[digits + 2])) {
      return std::string_view::npos;
    }
    std::string words;
    for (const char c : between.substr(0, digits)) {
      if (!std::isspace(static_cast<unsigned char>(c))) words += c;
    }
    const bool joins = words.empty() || words == "," || words == "and" || words == "to";
    return joins && digits > 0 ? after + digits : std::string_view::npos;
  }

  std::string_view text_;
  const SitePage& from_;
  const std::vector<SitePage>& pages_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string link_to(const SitePage& page, std::string_view text) {
  return "<a href=\"" + page.id + ".html\">" + std::string(text) + "</a>";
}

const SitePage* find_chapter(const std::vector<SitePage>& pages,
                             std::string_view number) {
  const auto found = std::find_if(pages.begin(), pages.end(), [&](const auto& page) {
    return page.kind == PageKind::Chapter && page.number == number;
  });
  return found == pages.end() ? nullptr : &*found;
}

std::string linked(std::string_view prose, const SitePage& from,
                   const std::vector<SitePage>& pages) {
  return Linker(prose, from, pages).run();
}

std::string anchored(std::string_view heading, const SitePage& on,
                     std::set<std::string>& taken) {
  if (heading.find("{#") != std::string_view::npos) return std::string(heading);
  std::string_view words = heading;
  words.remove_prefix(std::min(words.find_first_not_of("# "), words.size()));
  words = words.substr(0, words.find_last_not_of(' ') + 1);
  const std::string first = on.id + "_" + anchor_words(words);
  std::string anchor = first;
  for (int again = 1; !taken.insert(anchor).second; ++again) {
    anchor = first + "_" + std::to_string(again);
  }
  return std::string(heading) + " {#" + anchor + "}";
}

}  // namespace pipeline
