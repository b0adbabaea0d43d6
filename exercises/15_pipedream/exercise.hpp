/// \file
/// Exercise 15: a pipeline without a flush, and the versions of its weights. Stages,
/// devices and micro-batches are counted from 0; there is at least one of each. The
/// device of stage s is device s. Each micro-batch is a batch of its own: an update
/// follows its backward, on every stage. Version 0 of a stage's weights are those that
/// it starts with, and each update makes the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// The update of a stage by the gradient of a micro-batch.
inline Entry update_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::Update, 0, stage, micro_batch}};
}

/// What the device of `stage` does with all `micro_batches` of a run, in order:
/// `forward_of`, `backward_of` and `update_of` entries.
Row pipedream_row(std::int32_t stage, std::int32_t devices, std::int32_t micro_batches);

/// The version of its weights that `stage` uses for a micro-batch, in the forward and,
/// since it is stashed, in the backward too.
std::int32_t version_used(std::int32_t stage, std::int32_t devices,
                          std::int32_t micro_batch);

/// How many versions `stage` must keep at once, the newest among them, in a long run.
std::int32_t versions_kept(std::int32_t stage, std::int32_t devices);

/// Trains one weight w, of the stage that is `late` micro-batches late: micro-batch k
/// uses version max(0, k - late), for which its loss is inputs[k] * w * w / 2, and its
/// gradient is added to the newest version. Returns all versions, the first of them
/// `start`: one more than there are inputs.
std::vector<double> train_with_stash(double start, double rate,
                                     std::span<const double> inputs, std::int32_t late);

}  // namespace pipeline
