/// \file
/// Exercise 03: which layers make a stage. Layers and stages are counted from 0, and
/// there are at least as many layers as stages. A split is given as how many layers
/// each stage has, in order: {1, 2, 2, 3}.
#pragma once

#include <cstdint>
#include <vector>

namespace pipeline {

/// Layers for each stage, as even as it goes. Where they do not come out even, the
/// earlier stages have one more.
std::vector<std::int32_t> even_counts(std::int32_t layers, std::int32_t stages);

/// What the slowest stage takes for a micro-batch, when layer i takes `times[i]` and
/// stage s holds `counts[s]` layers.
double slowest_stage(const std::vector<double>& times,
                     const std::vector<std::int32_t>& counts);

/// What `micro_batches` forwards take that follow one another through stages of
/// `stage_times`; handing over takes nothing.
double step_time(const std::vector<double>& stage_times, std::int32_t micro_batches);

/// The split into `stages` stages, each with a layer or more, whose slowest stage is as
/// fast as can be. Where several are as good, any of them.
std::vector<std::int32_t> balanced_counts(const std::vector<double>& times,
                                          std::int32_t stages);

}  // namespace pipeline
