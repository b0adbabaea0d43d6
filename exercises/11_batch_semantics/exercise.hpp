/// \file
/// Exercise 11: what a mini-batch means once it is cut into micro-batches: its rows,
/// its mean, its statistics, its dropout masks. Rows and micro-batches are counted from
/// 0.
#pragma once

#include <cstdint>
#include <vector>

namespace pipeline {

/// How many rows each of `micro_batches` micro-batches gets, in order: they differ by
/// one row at most, and the longer ones come first. 1 <= micro_batches <= rows.
std::vector<std::int32_t> micro_batch_rows(std::int32_t rows,
                                           std::int32_t micro_batches);

/// The mean loss over all rows. `means[k]` is the mean over the `rows[k]` rows of
/// micro-batch k.
double batch_loss(const std::vector<double>& means,
                  const std::vector<std::int32_t>& rows);

/// Mean and variance of one channel over `count` values: the variance is the mean of
/// (x - mean)^2, as batch norm normalises with.
struct Statistics {
  double count = 0;
  double mean = 0;
  double variance = 0;
};

/// The statistics over all values of all micro-batches, from those of each. No value
/// itself is kept: this is all that deferred batch norm has at the end of a step.
Statistics whole_batch(const std::vector<Statistics>& micro_batches);

/// One forward of a batch norm in training, as its running mean sees it.
struct Forward {
  double mean = 0;     ///< over the micro-batch
  bool again = false;  ///< a re-computation: the micro-batch came through before
};

/// Where the running mean stands after these forwards, in order: each moves it a tenth
/// of the way (momentum 0.1) from where it is to what the micro-batch is like.
double running_mean(double running, const std::vector<Forward>& forwards);

/// Dropout takes its random numbers from one long list, a fixed one for each step, so
/// that every element of the mini-batch (rows x width, row by row) has a number of its
/// own: the places in that list which a micro-batch uses for its elements, row by row.
/// Its first row is row `first_row` of the mini-batch.
std::vector<std::int64_t> draws(std::int32_t first_row, std::int32_t rows,
                                std::int32_t width);

}  // namespace pipeline
