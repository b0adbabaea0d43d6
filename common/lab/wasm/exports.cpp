// The lab as a WebAssembly module without imports: text in, text out. docs/lab/core.js
// is the other side of it.
#include <cstddef>
#include <string>

#include "lab/answer.hpp"

namespace {

// Leaked, so that neither needs an exit handler.
std::string& question() {
  static auto* const text = new std::string;
  return *text;
}

std::string& reply() {
  static auto* const text = new std::string;
  return *text;
}

}  // namespace

extern "C" {

/// Where the next question goes: room for `bytes` of it.
__attribute__((export_name("lab_room"), used)) char* lab_room(std::size_t bytes) {
  question().resize(bytes);
  return question().data();
}

/// Answers the first `bytes` of the question. The reply stays until the next call.
__attribute__((export_name("lab_answer"), used)) const char* lab_answer_bytes_of(
    std::size_t bytes) {
  reply() = pipeline::lab_answer(std::string_view(question()).substr(0, bytes));
  return reply().data();
}

/// How long the reply is.
__attribute__((export_name("lab_answer_bytes"), used)) std::size_t lab_answer_bytes() {
  return reply().size();
}
}
