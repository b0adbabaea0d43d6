#include "lab/recognise.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "lab/board_bound.hpp"
#include "lab/board_rows.hpp"

namespace pipeline {
namespace {

struct Title {
  std::string_view name;
  std::string_view title;
};

/// Those that can be built on a board: of whole micro-batches, each action by itself,
/// one version of the weights. Not zb-auto, which would be searched for anew each time,
/// and finds what others make by hand.
constexpr std::array<Title, 11> kTitles{{
    {"forward", "the forward pipeline"},
    {"model-parallel", "naive model parallelism"},
    {"gpipe", "GPipe"},
    {"1f1b", "1F1B"},
    {"interleaved", "interleaved 1F1B"},
    {"zb-h1", "ZB-H1"},
    {"zb-h2", "ZB-H2"},
    {"v-min", "V-Min"},
    {"v-half", "V-Half"},
    {"zb-v", "ZB-V"},
    {"chimera", "Chimera"},
}};

bool same_shape(const Schedule& a, const Schedule& b) {
  for (std::size_t d = 0; d < a.rows.size(); ++d) {
    const bool same = std::equal(a.rows[d].begin(), a.rows[d].end(), b.rows[d].begin(),
                                 b.rows[d].end(), [](const Entry& x, const Entry& y) {
                                   return x.action.kind == y.action.kind &&
                                          x.action.stage == y.action.stage;
                                 });
    if (!same) return false;
  }
  return true;
}

bool takes_as_long(const Board& a, const Board& b) {
  const double of_a = measured(a, BoardMeasure::Makespan);
  const double of_b = measured(b, BoardMeasure::Makespan);
  return no_longer_than(of_a, of_b) && no_longer_than(of_b, of_a);
}

}  // namespace

std::string_view title_of(std::string_view generator) {
  for (const auto& [name, title] : kTitles) {
    if (name == generator) return title;
  }
  return generator;
}

Recognition recognise(const Board& board) {
  Recognition recognition;
  if (board.left() > 0) return recognition;
  BoardRules rules = board.rules();
  rules.memory_limit.clear();  // what is alike is within the limit too
  for (const auto& [name, title] : kTitles) {
    const auto schedule = generated(name, rules);
    if (!schedule) continue;
    Board other(rules);
    follow(other, *schedule);
    if (other.left() > 0 || !takes_as_long(other, board)) {
      continue;
    }
    if (recognition.name.empty() && same_shape(*schedule, board.placed())) {
      recognition.name = title;
    } else if (other.peak() == board.peak()) {
      recognition.alike.emplace_back(title);
    }
  }
  return recognition;
}

}  // namespace pipeline
