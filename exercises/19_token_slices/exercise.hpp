/// \file
/// Exercise 19: slices of sequences in a pipeline of equal stages. Stages,
/// micro-batches and slices are counted from 0; there is at least one of each.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// The forward of one slice of a micro-batch on a stage.
inline Entry forward_of_slice(std::int32_t stage, std::int32_t micro_batch,
                              std::int32_t slice) {
  return {{ActionKind::Forward, static_cast<std::int16_t>(slice), stage, micro_batch}};
}

/// Its full backward.
inline Entry backward_of_slice(std::int32_t stage, std::int32_t micro_batch,
                               std::int32_t slice) {
  return {{ActionKind::Backward, static_cast<std::int16_t>(slice), stage, micro_batch}};
}

/// The lengths of `slices` slices of a sequence of `tokens` tokens, with 1 <= slices <=
/// tokens: all tokens are in one, no two lengths differ by more than 1, and the longer
/// ones come first.
std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices);

/// When the last part is through. The parts pass, one after the other, through
/// `devices` equal stages: part i takes `part_times[i]` on each of them. Handing over
/// takes no time. There is at least one part.
double pipeline_time(const std::vector<double>& part_times, std::int32_t devices);

/// What the device of `stage` does in one step: all forwards, then all backwards, of
/// micro-batches that are cut into `slices[k]` slices each. `forward_of_slice` and
/// `backward_of_slice` entries; the update at its end is added for you.
Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices);

/// The lengths of the slices of one sequence for which `pipeline_time` of their times
/// is least. `time[c][l - 1]` is what a slice of l tokens takes that follows c others;
/// `time.size()` is the length of the sequence, and time[c] has an entry for each
/// length that still fits. Of several that are equally good, any will do.
std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices);

}  // namespace pipeline
