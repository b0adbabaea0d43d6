#include "grading/pseudonyms.hpp"

#include <algorithm>

#include "grading/sha256.hpp"

namespace pipeline {
namespace {

/// The bytes that pairs of hexadecimal digits name.
std::string bytes_of(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// HMAC-SHA-256, in hexadecimal digits.
std::string keyed_hash(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlock = 64;
  std::string inner = bytes_of(sha256(key));
  inner.resize(kBlock, '\0');
  std::string outer = inner;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5C);
  return sha256(outer + bytes_of(sha256(inner + std::string(text))));
}

}  // namespace

std::string pseudonym(std::string_view id, std::string_view secret) {
  return "student-" + keyed_hash(secret, id).substr(0, 8);
}

Gradebook anonymous(const Gradebook& gradebook, std::string_view secret) {
  Gradebook hidden = gradebook;
  for (Graded& graded : hidden.students) {
    const std::string name = pseudonym(graded.submission.id, secret);
    graded.submission = {name, name, graded.submission.found, "", {}, 0};
    graded.verdict.compiler_errors.clear();
    graded.verdict.notes.clear();
    for (TestVerdict& test : graded.verdict.tests) test.message.clear();
  }
  std::stable_sort(hidden.students.begin(), hidden.students.end(),
                   [](const Graded& a, const Graded& b) {
                     return a.submission.id < b.submission.id;
                   });
  return hidden;
}

}  // namespace pipeline
