/// \file
/// Answers that are much alike, so that a person may look at them. A flag is a reason
/// to look, never a proof, and changes no points: short exercises lead many to the same
/// lines.
///
/// Nobody is compared with what was given out: a token that stands in a row of kGram
/// which the starter has too is nobody's own. Two answers are flagged where the tokens
/// that they have in common (in matches of at least kGram) are a large share of the own
/// tokens of one of them; how large, `threshold_of` says.
///
/// The workbook's solution takes part, since it can be read. Answers that are flagged
/// with it are not flagged with one another: that would say the same again, for each
/// pair.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/submission.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// The fewest own tokens that can be compared: about four lines.
inline constexpr std::size_t kFewestTokens = 40;

/// Above which share of the own tokens an answer with `tokens` of them is flagged: 0.75
/// of up to 150 tokens, 0.60 of 300 or more, and in proportion between. Measured on
/// answers that were written apart, and copies of them with other names, layout,
/// comments and order: similarity_test.cpp holds the figures.
double threshold_of(std::size_t tokens);

/// Bytes of two answers that are alike: [begin, end) of each.
struct Alike {
  std::size_t left_begin = 0, left_end = 0;
  std::size_t right_begin = 0, right_end = 0;
};

struct AlikePair {
  std::string left;   ///< an id
  std::string right;  ///< an id, or kSolution
  std::string left_answer, right_answer;
  double left_share = 0;       ///< of the own tokens of `left` that `right` has too
  double right_share = 0;      ///< and the other way round
  std::size_t tokens = 0;      ///< how many those are: of the answer that has fewer
  std::vector<Alike> matches;  ///< in the order of the left answer

  double share() const { return left_share > right_share ? left_share : right_share; }
};

/// Stands for a student where an answer is like the workbook's own. No student has this
/// id, which is no name of a file.
inline constexpr std::string_view kSolution = "(the workbook's solution)";

struct SimilarityReport {
  std::size_t compared = 0;   ///< answers
  std::size_t too_short = 0;  ///< answers with fewer than kFewestTokens own tokens
  /// The largest share first, then more tokens, then by the ids.
  std::vector<AlikePair> pairs;
};

/// Compares all answers that were found with each other and with `solution` (as
/// without_marks gives it; empty: none).
SimilarityReport similarity(const std::vector<Submission>& submissions,
                            std::string_view starter, std::string_view solution);

/// `folder`/similarity.csv, a row a pair, and `folder`/similarity.html, with the
/// answers side by side and what is alike in them marked; it needs nothing else, and
/// nothing of a student's text acts in it. Both for the instructor alone. Creates
/// `folder`.
Expected<void> write_similarity(const SimilarityReport& report,
                                const std::string& exercise,
                                const std::filesystem::path& folder);

/// For the terminal, 80 columns: the first pairs, and what a flag means.
std::string similarity_as_text(const SimilarityReport& report);

}  // namespace pipeline
