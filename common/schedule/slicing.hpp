/// \file
/// Where to cut the sequence of a micro-batch, so that its slices go through a pipeline
/// soonest (TeraPipe, Li et al. 2021, section 3). Later tokens attend to all earlier
/// ones, so that slices of equal length take ever longer; the best ones get shorter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// How long a stage takes for each slice that a sequence can be cut into. Tokens are
/// counted in units of whatever granularity the cut may have.
class SliceTimes {
 public:
  /// All zero. `length` is at least 1 and at most `kMaximumLength`; others are clamped.
  explicit SliceTimes(std::int32_t length);

  /// Length of the whole sequence, in tokens.
  std::int32_t length() const { return length_; }
  /// Of `tokens` tokens that follow `context` others; tokens >= 1, context >= 0, and
  /// together at most `length()`.
  double of(std::int32_t tokens, std::int32_t context) const {
    return times_[index(tokens, context)];
  }
  /// Sets what `of` returns.
  void set(std::int32_t tokens, std::int32_t context, double time) {
    times_[index(tokens, context)] = time;
  }

  /// The longest sequence, in units of the cut.
  static constexpr std::int32_t kMaximumLength = 4096;

 private:
  std::size_t index(std::int32_t tokens, std::int32_t context) const {
    return static_cast<std::size_t>(context) * static_cast<std::size_t>(length_) +
           static_cast<std::size_t>(tokens - 1);
  }

  std::int32_t length_;
  std::vector<double> times_;
};

/// What a transformer stage takes for a slice: something for any slice, something for
/// each of its tokens, and something for each pair of a token and one that it attends
/// to (itself and all before it).
struct TokenCosts {
  double fixed = 0;      ///< for any slice
  double per_token = 0;  ///< for each token of it
  double per_pair = 0;   ///< for each pair of tokens
};

/// t(l, c) = fixed + l per_token + (l c + l (l+1) / 2) per_pair.
SliceTimes slice_times(std::int32_t length, const TokenCosts& costs);

/// A way to cut, and what it comes to in a pipeline of equal stages.
struct Slicing {
  std::vector<std::int32_t> lengths;  ///< of the slices, in tokens, in order
  std::vector<double> times;          ///< what a stage takes for each
  double total = 0;                   ///< total = sum of times + (p-1) * the longest
};

/// How closely to search.
struct SlicingOptions {
  /// Longest times closer together than this are not told apart, which is quicker; the
  /// total is then at most (p-1) times this above the best.
  double tolerance = 0;
};

/// The best slices of one sequence through `devices` stages: least sum of t plus (p-1)
/// times the longest t, which is when the last stage ends. For each longest time that
/// there can be, a dynamic programme over the tokens finds the least sum (section 3.3).
/// O(n^2) for each longest time that is tried, of which there are up to n^2/2. Refused:
/// devices < 1, a time that is negative or not finite, and, so that it ends, more than
/// 2^33 steps.
Expected<Slicing> best_slicing(const SliceTimes& times, std::int32_t devices,
                               SlicingOptions options = {});

/// The slices of each of several micro-batches into which a batch is split.
struct BatchSlicing {
  std::vector<std::int32_t> rows;  ///< sequences in each micro-batch, largest first
  std::vector<Slicing> slicings;   ///< of each; their totals count that one alone
  double total = 0;                ///< sum of all times + (p-1) * the longest
};

/// The same for a batch of sequences, which may also be split, unevenly if need be, and
/// each part sliced in its own way (section 3.4). `times[b-1]` holds the times of b
/// sequences side by side; all have the same length, and the batch has as many
/// sequences as there are entries. A second dynamic programme, over the sequences,
/// stands on top of the first.
Expected<BatchSlicing> best_batch_slicing(const std::vector<SliceTimes>& times,
                                          std::int32_t devices,
                                          SlicingOptions options = {});

}  // namespace pipeline
