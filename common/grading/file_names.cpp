#include "grading/file_names.hpp"

#include "grading/sha256.hpp"

namespace pipeline {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '-' || c == '_' || c == '.';
}

}  // namespace

std::string file_name_of(std::string_view id) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::size_t kLongest = 150;
  if (id.empty()) return "+";
  std::string name;
  for (const char c : id) {
    if (is_plain(c) && !(name.empty() && c == '.')) {
      name += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    name += '+';
    name += kDigits[byte >> 4U];
    name += kDigits[byte & 15U];
  }
  // "++" is in no other name.
  if (name.size() > kLongest) name = name.substr(0, kLongest) + "++" + sha256(id);
  return name;
}

}  // namespace pipeline
