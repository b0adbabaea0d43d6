#include "grading/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pipeline {
namespace {

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
constexpr std::uint64_t kHashBegin = 0xcbf29ce484222325U;
std::uint64_t hash_in(std::uint64_t hash, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) {
    hash = (hash ^ (value & 0xFFU)) * 0x100000001b3U;
    value >>= 8U;
  }
  return hash;
}

/// What all tokens of a class become. Smaller than any hash of a spelling is likely to
/// be.
enum Class : std::uint64_t { kName = 1, kNumber, kText, kType };

template <std::size_t kCount>
using Words = std::array<std::string_view, kCount>;

constexpr Words<26> kKeywords = {
    "if",      "else",     "for",      "while",  "do",     "return", "break",
    "switch",  "case",     "continue", "struct", "class",  "new",    "namespace",
    "default", "template", "using",    "enum",   "delete", "throw",  "try",
    "catch",   "operator", "true",     "false",  "sizeof"};
constexpr Words<19> kTypes = {"int",      "double",   "float",   "bool",     "char",
                              "long",     "unsigned", "signed",  "short",    "auto",
                              "void",     "int8_t",   "int16_t", "int32_t",  "int64_t",
                              "uint32_t", "uint64_t", "size_t",  "ptrdiff_t"};
/// What can be put in and taken out.
constexpr Words<10> kNothing = {"const",  "constexpr", "static",   "inline",   "std",
                                "public", "private",   "typename", "noexcept", "this"};
/// Longer ones first.
constexpr Words<25> kOperators = {
    "<<=", ">>=", "<=>", "->", "::", "++", "--", "&&", "||", "==", "!=",  "<=", ">=",
    "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "<<", ">>", "...", ".*"};

template <std::size_t kCount>
bool is_one_of(const Words<kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\\'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::uint64_t spelling(std::string_view text) {
  std::uint64_t hash = kHashBegin;
  for (const char c : text) hash = hash_in(hash, static_cast<unsigned char>(c));
  return hash;
}

/// Reads a source from its begin to its end.
class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  std::vector<Token> tokens() {
    while (at_ < source_.size() && tokens_.size() < kMostTokens) step();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void step() {
    const std::size_t begin = at_;
    const char c = peek();
    if (is_blank(c)) {
      line_begins_ = line_begins_ || c == '\n';
      ++at_;
      return;
    }
    if (c == '/' && (peek(1) == '/' || peek(1) == '*')) return skip_comment();
    if (c == '#' && line_begins_) return skip_line();
    line_begins_ = false;
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      put(kText, begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      skip_number();
      put(kNumber, begin);
    } else if (is_letter(c)) {
      put_word(begin);
    } else {
      put_sign(begin);
    }
  }

  void put(std::uint64_t kind, std::size_t begin) {
    tokens_.push_back({kind, begin, at_});
    if (kind == kName) turn_step();
  }

  /// `++i` becomes `i++`: where nobody looks at the value they are the same.
  void turn_step() {
    static const std::uint64_t kUp = spelling("++");
    static const std::uint64_t kDown = spelling("--");
    const std::size_t count = tokens_.size();
    if (count < 2) return;
    const std::uint64_t sign = tokens_[count - 2].kind;
    if (sign != kUp && sign != kDown) return;
    if (count > 2 && tokens_[count - 3].kind == kName) return;
    std::swap(tokens_[count - 2].kind, tokens_[count - 1].kind);
  }

  void put_word(std::size_t begin) {
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string_view word = source_.substr(begin, at_ - begin);
    if (peek() == '"' && word.back() == 'R') {
      skip_raw_text();
      return put(kText, begin);
    }
    if (is_one_of(kNothing, word)) {
      if (word == "std" && source_.substr(at_, 2) == "::") at_ += 2;
      return;
    }
    if (is_one_of(kTypes, word)) {
      // `unsigned long` is one type.
      if (!tokens_.empty() && tokens_.back().kind == kType) return;
      return put(kType, begin);
    }
    put(is_one_of(kKeywords, word) ? spelling(word) : std::uint64_t{kName}, begin);
  }

  void put_sign(std::size_t begin) {
    const char c = peek();
    const auto* const known =
        std::find_if(kOperators.begin(), kOperators.end(), [&](std::string_view sign) {
          return source_.substr(at_, sign.size()) == sign;
        });
    at_ += known == kOperators.end() ? 1 : known->size();
    if (c == '{' || c == '}') return;
    put(spelling(source_.substr(begin, at_ - begin)), begin);
  }

  /// To behind `end`, or to the end of all.
  void skip_to(std::string_view end) {
    const std::size_t found = source_.find(end, at_);
    at_ = found == source_.npos ? source_.size() : found + end.size();
  }

  void skip_comment() {
    const bool to_end_of_line = peek(1) == '/';
    at_ += 2;
    if (to_end_of_line) return skip_line();
    skip_to("*/");
  }

  /// To the end of the line, and on where it ends with a backslash.
  void skip_line() {
    for (;; ++at_) {
      at_ = std::min(source_.find('\n', at_), source_.size());
      if (at_ == source_.size() || at_ == 0 || source_[at_ - 1] != '\\') return;
    }
  }

  void skip_quoted(char quote) {
    for (++at_; at_ < source_.size() && peek() != '\n'; ++at_) {
      if (peek() == quote) {
        ++at_;
        return;
      }
      if (peek() == '\\') ++at_;
    }
    at_ = std::min(at_, source_.size());
  }

  /// R"name( … )name"; a name has at most 16 characters.
  void skip_raw_text() {
    const std::size_t open = source_.substr(at_, 18).find('(');
    if (open == source_.npos) return skip_quoted('"');
    const std::string end = ")" + std::string(source_.substr(at_ + 1, open - 1)) + "\"";
    skip_to(end);
  }

  void skip_number() {
    while (is_letter(peek()) || is_digit(peek()) || peek() == '.' ||
           (peek() == '\'' && is_digit(peek(1)))) {
      ++at_;
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  return Scanner(source).tokens();
}

std::vector<std::uint64_t> grams_of(const std::vector<Token>& tokens,
                                    std::size_t length) {
  std::vector<std::uint64_t> grams;
  for (std::size_t begin = 0; begin + length <= tokens.size(); ++begin) {
    std::uint64_t hash = kHashBegin;
    for (std::size_t i = begin; i < begin + length; ++i) {
      hash = hash_in(hash, tokens[i].kind);
    }
    grams.push_back(hash);
  }
  return grams;
}

std::vector<std::size_t> winnow(const std::vector<std::uint64_t>& grams) {
  std::vector<std::size_t> kept;
  if (grams.empty()) return kept;
  const std::size_t window = std::min(kWindow, grams.size());
  for (std::size_t begin = 0; begin + window <= grams.size(); ++begin) {
    std::size_t least = begin;
    for (std::size_t i = begin + 1; i < begin + window; ++i) {
      if (grams[i] <= grams[least]) least = i;
    }
    if (kept.empty() || kept.back() != least) kept.push_back(least);
  }
  return kept;
}

}  // namespace pipeline
