#include "grading/whole_answer.hpp"

#include <algorithm>
#include <cctype>

#include "classroom/starter.hpp"

namespace pipeline {
namespace {

constexpr std::string_view kOpening = "namespace pipeline {";

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The end of the string or character that begins at `begin`.
std::size_t end_of_literal(std::string_view source, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < source.size() && source[end] != source[begin])
    end += source[end] == '\\' ? 2 : 1;
  return std::min(end + 1, source.size());
}

/// The end of what stands at `at` and is no code: a comment, a literal, a line of the
/// preprocessor. `at` itself where it is code.
std::size_t end_of_no_code(std::string_view source, std::size_t at) {
  const std::string_view rest = source.substr(at);
  const bool first = at == 0 || source[at - 1] == '\n';
  if (rest.starts_with("//") || (first && rest.starts_with("#")))
    return std::min(source.find('\n', at), source.size());
  if (rest.starts_with("/*"))
    return std::min(source.find("*/", at), source.size() - 2) + 2;
  // The ' of 1'000 begins no character.
  const bool in_number = at > 0 && is_name(source[at - 1]);
  if (rest.starts_with('"') || (rest.starts_with('\'') && !in_number))
    return end_of_literal(source, at);
  return at;
}

/// The name before the first bracket of "Row gpipe_row(std::int32_t stage) ".
std::string name_of(std::string_view head) {
  const std::size_t bracket = head.find('(');
  if (bracket == head.npos) return "";
  std::size_t begin = bracket;
  while (begin > 0 && is_name(head[begin - 1])) --begin;
  return std::string(head.substr(begin, bracket - begin));
}

}  // namespace

std::vector<Definition> definitions_of(std::string_view source) {
  std::vector<Definition> found;
  Definition current;
  std::string head;  // the code since the last end of a declaration
  int depth = 0;
  const auto begin_anew = [&](std::size_t at) {
    head.clear();
    while (at < source.size() && is_blank(source[at])) ++at;
    current.begin = at;
  };
  const std::size_t opening = source.find(kOpening);
  if (opening == source.npos) return found;
  std::size_t at = opening + kOpening.size();
  begin_anew(at);
  while (at < source.size()) {
    const std::size_t after = end_of_no_code(source, at);
    if (after > at) {
      at = after;
      continue;
    }
    const char c = source[at++];
    if (c == '}' && depth == 0) break;
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (depth > 0 || (c != '}' && c != ';')) {
      if (depth == 0) head += c;
      continue;
    }
    current.name = name_of(head);
    current.end = std::min(source.find('\n', at), source.size() - 1) + 1;
    if (c == '}' && !current.name.empty()) found.push_back(current);
    begin_anew(at);
  }
  return found;
}

Expected<std::string> whole_answer(std::string_view solution,
                                   std::string_view mistake) {
  std::string answer = without_marks(solution);
  while (mistake.starts_with("//"))
    mistake.remove_prefix(std::min(mistake.find('\n'), mistake.size() - 1) + 1);
  // Tests are no functions that could take the place of others.
  if (mistake.find("\nTEST(") != mistake.npos) return std::string(mistake);
  const std::vector<Definition> wrong = definitions_of(mistake);
  if (wrong.empty()) {
    return refuse("the mistake defines no function in namespace pipeline",
                  "Define the function that is wrong.");
  }
  const std::size_t opening = mistake.find(kOpening);
  for (const Definition& definition : wrong) {
    const std::vector<Definition> right = definitions_of(answer);
    const auto same = std::find_if(right.begin(), right.end(), [&](const auto& other) {
      return other.name == definition.name;
    });
    if (same == right.end()) {
      return refuse("the solution does not define " + definition.name,
                    "Give the mistake a function of the exercise.");
    }
    answer.replace(same->begin, same->end - same->begin,
                   mistake.substr(definition.begin, definition.end - definition.begin));
  }
  // What it includes goes first.
  return std::string(mistake.substr(0, opening)) + answer;
}

}  // namespace pipeline
