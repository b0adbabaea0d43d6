#include "grading/similarity.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "grading/fingerprint.hpp"

namespace pipeline {
namespace {

/// Places of one fingerprint that are looked at. An answer that repeats itself more
/// often is no more alike for it.
constexpr std::size_t kMostPlaces = 16;
/// What is left of a row after others took their tokens: shorter ones say nothing.
constexpr std::size_t kShortestRest = 6;
/// Two answers that have no more in common than this beside what each has of the
/// solution are like the solution, not like one another.
constexpr double kNoMore = 0.05;

using Hashes = std::set<std::uint64_t>;

/// An answer as it is compared.
struct Prepared {
  std::vector<Token> tokens;
  std::vector<bool> own;
  std::size_t own_count = 0;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> prints;
};

Hashes hashes_of(std::string_view source, std::size_t length) {
  const auto grams = grams_of(tokens_of(source), length);
  return {grams.begin(), grams.end()};
}

Prepared prepare(std::string_view source, const Hashes& starter_rows,
                 const Hashes& starter_prints) {
  Prepared answer;
  answer.tokens = tokens_of(source);
  answer.own.assign(answer.tokens.size(), true);
  const auto rows = grams_of(answer.tokens, kStarterGram);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (starter_rows.count(rows[i]) == 0) continue;
    for (std::size_t k = i; k < i + kStarterGram; ++k) answer.own[k] = false;
  }
  answer.own_count =
      static_cast<std::size_t>(std::count(answer.own.begin(), answer.own.end(), true));
  const auto grams = grams_of(answer.tokens);
  for (const std::size_t place : winnow(grams)) {
    if (starter_prints.count(grams[place]) != 0) continue;
    auto& places = answer.prints[grams[place]];
    if (places.size() < kMostPlaces) places.push_back(place);
  }
  return answer;
}

/// Equal tokens of two answers: `length` from each begin on.
struct Row {
  std::size_t left = 0, right = 0, length = 0;

  auto key() const {
    return std::tuple(-static_cast<std::ptrdiff_t>(length), left, right);
  }
};

/// The longest row of equal tokens around those two.
Row extended(const Prepared& left, const Prepared& right, std::size_t i,
             std::size_t k) {
  const auto equal = [&](std::size_t a, std::size_t b) {
    return left.tokens[a].kind == right.tokens[b].kind;
  };
  std::size_t end = i;
  while (end < left.tokens.size() && k + (end - i) < right.tokens.size() &&
         equal(end, k + (end - i))) {
    ++end;
  }
  while (i > 0 && k > 0 && equal(i - 1, k - 1)) {
    --i;
    --k;
  }
  return {i, k, end - i};
}

/// All rows in which the two have a fingerprint in common, the longest first.
std::vector<Row> common_rows(const Prepared& left, const Prepared& right) {
  std::vector<Row> rows;
  // Where the last row on each diagonal ends: two prints in one row give it once.
  std::unordered_map<std::ptrdiff_t, std::vector<std::size_t>> diagonals;
  for (const auto& [print, places] : left.prints) {
    const auto found = right.prints.find(print);
    if (found == right.prints.end()) continue;
    for (const std::size_t i : places) {
      for (const std::size_t k : found->second) {
        diagonals[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(k)]
            .push_back(i);
      }
    }
  }
  for (auto& [diagonal, begins] : diagonals) {
    std::sort(begins.begin(), begins.end());
    std::size_t reached = 0;
    for (const std::size_t i : begins) {
      if (i < reached) continue;
      const auto k =
          static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) - diagonal);
      const Row row = extended(left, right, i, k);
      reached = row.left + row.length;
      if (row.length >= kGram) rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.key() < b.key(); });
  return rows;
}

/// Takes rows, longest first, without their first and last tokens that are taken.
std::vector<Row> tiles_of(const Prepared& left, const Prepared& right) {
  std::vector<bool> left_taken(left.tokens.size(), false);
  std::vector<bool> right_taken(right.tokens.size(), false);
  std::vector<Row> tiles;
  for (Row row : common_rows(left, right)) {
    const auto taken = [&](std::size_t i) {
      return left_taken[row.left + i] || right_taken[row.right + i];
    };
    while (row.length > 0 && taken(row.length - 1)) --row.length;
    while (row.length > 0 && taken(0)) {
      ++row.left;
      ++row.right;
      --row.length;
    }
    std::size_t free = 0;
    while (free < row.length && !taken(free)) ++free;
    if (free < row.length || row.length < kShortestRest) continue;
    for (std::size_t i = 0; i < row.length; ++i) {
      left_taken[row.left + i] = true;
      right_taken[row.right + i] = true;
    }
    tiles.push_back(row);
  }
  std::sort(tiles.begin(), tiles.end(),
            [](const Row& a, const Row& b) { return a.left < b.left; });
  return tiles;
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

AlikePair compare(const Prepared& left, const Prepared& right) {
  AlikePair pair;
  std::size_t left_own = 0;
  std::size_t right_own = 0;
  for (const Row& tile : tiles_of(left, right)) {
    for (std::size_t i = 0; i < tile.length; ++i) {
      if (left.own[tile.left + i]) ++left_own;
      if (right.own[tile.right + i]) ++right_own;
    }
    const std::size_t last = tile.length - 1;
    pair.rows.push_back(
        {left.tokens[tile.left].begin, left.tokens[tile.left + last].end,
         right.tokens[tile.right].begin, right.tokens[tile.right + last].end});
  }
  pair.tokens = std::min(left_own, right_own);
  pair.left_share = share(left_own, left.own_count);
  pair.right_share = share(right_own, right.own_count);
  return pair;
}

bool is_flagged(const AlikePair& pair, const Prepared& left, const Prepared& right) {
  return pair.left_share >= threshold_of(left.own_count) ||
         pair.right_share >= threshold_of(right.own_count);
}

}  // namespace

double threshold_of(std::size_t tokens) {
  constexpr double kShort = 150, kLong = 300;
  constexpr double kOfShort = 0.75, kOfLong = 0.60;
  const double way =
      std::clamp((static_cast<double>(tokens) - kShort) / (kLong - kShort), 0.0, 1.0);
  return kOfShort + way * (kOfLong - kOfShort);
}

SimilarityReport similarity(const std::vector<Submission>& submissions,
                            std::string_view starter, std::string_view solution) {
  const Hashes starter_rows = hashes_of(starter, kStarterGram);
  const Hashes starter_prints = hashes_of(starter, kGram);
  SimilarityReport report;
  std::vector<Prepared> prepared;
  const auto add = [&](const std::string& id, const std::string& text) {
    Prepared answer = prepare(text, starter_rows, starter_prints);
    if (answer.own_count < kFewestTokens) return false;
    report.answers.push_back({id, text, answer.own_count});
    prepared.push_back(std::move(answer));
    return true;
  };
  std::vector<const Submission*> found;
  for (const Submission& submission : submissions) {
    if (submission.found) found.push_back(&submission);
  }
  std::sort(found.begin(), found.end(),
            [](const Submission* a, const Submission* b) { return a->id < b->id; });
  for (const Submission* submission : found) {
    if (!add(submission->id, submission->answer)) ++report.too_short;
  }
  const std::size_t students = prepared.size();
  const bool has_solution =
      !solution.empty() && add(std::string(kSolution), std::string(solution));
  std::vector<double> of_solution(students, 0);
  const auto flag = [&](AlikePair pair, std::size_t left, std::size_t right) {
    if (!is_flagged(pair, prepared[left], prepared[right])) return;
    pair.left = left;
    pair.right = right;
    report.pairs.push_back(std::move(pair));
  };
  for (std::size_t i = 0; has_solution && i < students; ++i) {
    AlikePair pair = compare(prepared[i], prepared[students]);
    of_solution[i] = pair.left_share;
    flag(std::move(pair), i, students);
  }
  for (std::size_t i = 0; i < students; ++i) {
    for (std::size_t k = i + 1; k < students; ++k) {
      AlikePair pair = compare(prepared[i], prepared[k]);
      const bool by_solution = pair.left_share <= of_solution[i] + kNoMore &&
                               pair.right_share <= of_solution[k] + kNoMore;
      if (!by_solution) flag(std::move(pair), i, k);
    }
  }
  std::stable_sort(report.pairs.begin(), report.pairs.end(),
                   [](const AlikePair& a, const AlikePair& b) {
                     const auto key = [](const AlikePair& pair) {
                       return std::tuple(-std::max(pair.left_share, pair.right_share),
                                         -static_cast<double>(pair.tokens), pair.left,
                                         pair.right);
                     };
                     return key(a) < key(b);
                   });
  return report;
}

}  // namespace pipeline
