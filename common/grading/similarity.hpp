/// \file
/// Answers that are much alike, so that a person may look at them. A flag is a reason
/// to look, never a proof, and changes no points: short exercises lead many to the same
/// lines.
///
/// Nobody is compared by what was given out: a token in a row of kStarterGram that the
/// starter has too is nobody's own. Two answers are flagged where what they have in
/// common (rows of at least kGram tokens, longest first, each token once) is a large
/// share of the own tokens of one of them; how large, `threshold_of` says.
///
/// The workbook's solution takes part, since students can read it. Two answers that are
/// like it are flagged with it, and with one another only where they have more in
/// common than that.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/submission.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// Rows of this many tokens are taken for the starter's.
inline constexpr std::size_t kStarterGram = 8;
/// The fewest own tokens that are compared: about four lines.
inline constexpr std::size_t kFewestTokens = 40;

/// Above which share of its own tokens an answer that has `tokens` of them is flagged:
/// 0.75 of up to 150 tokens, 0.60 of 300 or more, and in proportion between. Chosen
/// between what answers that were written apart have in common and what copies with
/// other names, layout, comments and order of functions have: similarity_test.cpp
/// measures both.
double threshold_of(std::size_t tokens);

/// Stands for a student where an answer is like the workbook's own. No id is like it.
inline constexpr std::string_view kSolution = "(the workbook's solution)";

/// An answer that is held against all others.
struct ComparedAnswer {
  std::string id;              ///< of the student
  std::string text;            ///< all of it
  std::size_t own_tokens = 0;  ///< those that the starter does not have
};

/// Bytes of two answers that are alike: [begin, end) of each.
struct AlikeRow {
  std::size_t left_begin = 0, left_end = 0;    ///< of the left answer
  std::size_t right_begin = 0, right_end = 0;  ///< of the right answer
};

/// Two answers that are much alike.
struct AlikePair {
  std::size_t left = 0, right = 0;  ///< places in SimilarityReport::answers
  std::size_t tokens = 0;           ///< own ones that both have
  double left_share = 0;            ///< of the left one's own tokens
  double right_share = 0;           ///< of the right one's
  std::vector<AlikeRow> rows;       ///< in the order of the left answer
};

/// All pairs of a class.
struct SimilarityReport {
  std::vector<ComparedAnswer> answers;  ///< by id; the solution last, if given
  std::size_t too_short = 0;            ///< answers with fewer than kFewestTokens
  /// The largest share first, then more tokens, then by ids.
  std::vector<AlikePair> pairs;
};

/// Compares all answers that were found with each other and with `solution` (as
/// `without_marks` gives it; empty: none).
SimilarityReport similarity(const std::vector<Submission>& submissions,
                            std::string_view starter, std::string_view solution);

/// Writes FOLDER/similarity.csv, a row a pair, and FOLDER/similarity.html, in which the
/// answers stand side by side with marks on what is alike; it needs nothing else, and
/// nothing in a student's text acts. Both are for the instructor alone. `exercise` is
/// its title. Creates `folder`.
Expected<void> write_similarity(const SimilarityReport& report,
                                const std::string& exercise,
                                const std::filesystem::path& folder);

/// For the terminal, 80 columns: the first pairs, and what a flag means.
std::string similarity_as_text(const SimilarityReport& report);

}  // namespace pipeline
