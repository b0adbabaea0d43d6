#include "lab/hand_in.hpp"

#include "schedule/text.hpp"

namespace pipeline {
namespace {

std::string function_of(const BoardLevel& level, const std::string& body) {
  return "\nstd::string level_" + std::to_string(level.number) + "() {\n" + body +
         "}\n";
}

}  // namespace

std::string exercise_of(const BoardLevel& level) {
  return std::string(level.chapter) + "h_by_hand";
}

std::string hand_in(const BoardLevel& level, const Board& board) {
  std::string text = "// Exercise " + std::string(level.chapter) +
                     "h, built by hand. The task is in\n// exercises/" +
                     exercise_of(level) + "/README.md.\n";
  text += "#include \"exercise.hpp\"\n\nnamespace pipeline {\n";
  for (const BoardLevel& other : levels()) {
    if (other.chapter != level.chapter) continue;
    const bool is_built = other.number == level.number;
    text += function_of(other,
                        is_built ? "  return R\"(" + to_text(finished(board)) + ")\";\n"
                                 : "  return \"\";  // not built yet: put the "
                                   "function of that level's file here\n");
  }
  return text + "\n}  // namespace pipeline\n";
}

}  // namespace pipeline
