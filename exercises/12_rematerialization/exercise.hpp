/// \file
/// Exercise 12: re-materialization on one device, which has one stage. Micro-batches
/// are counted from 0. A forward takes 1 tick, so does a re-computation, a backward 2.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// Ticks of a GPipe (or 1F1B) step in which each stage re-computes each micro-batch.
std::int32_t step_ticks(std::int32_t devices, std::int32_t micro_batches);

/// `row` with `recompute_of(stage, k)` where it belongs, for each micro-batch k whose
/// `again[k]` is true. The row holds forwards and backwards of `stage`, in any order in
/// which they can run.
Row with_recomputes(const Row& row, std::int32_t stage, const std::vector<bool>& again);

/// The most that a row holds at once, in activations: from its forward to its backward
/// a micro-batch holds 1, but one that is re-computed only `input_share` of it between
/// forward and re-computation. While the forward runs it holds 1 as well.
double most_held(const Row& row, double input_share);

/// Which of the micro-batches to re-compute so that the row holds at most `limit`
/// activations at once: as few as will do. `limit` is large enough.
std::vector<bool> choose(const Row& row, std::int32_t stage, std::int32_t micro_batches,
                         double limit, double input_share);

}  // namespace pipeline
