/// \file
/// How many activations each device holds: a function of the order of its row alone.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// The most that a device holds at any moment of its row. An activation is held from
/// its Forward to its Backward or WeightGradient; forward-only schedules hold it while
/// the forward runs. Of one that is re-computed only the input of the stage is held
/// between the Forward, which makes it whole, and the Recompute, which does so again:
///
///     F2 ▁▁▁▁▁▁▁▁▁▁ R2 B2       ▁ the input, █ all of it
///     ██            ██ ██
struct Memory {
  /// Per device: most activations of one stage and one micro-batch held at once, those
  /// held in part included, but not those of which only the stage's input is left;
  /// where sequences are cut, activations of one slice.
  std::vector<std::int32_t> peak_chunks;
  /// The same in micro-batches: an activation held in part counts by the part (a
  /// stage's input by `MemoryOptions::input_share`), one of a slice as its share of the
  /// micro-batch's slices, and the sum is divided by the number of stages that one
  /// micro-batch visits on that device. Of the two copies of a two-way schedule a
  /// micro-batch visits one: a device of DualPipe holds two stages, and a micro-batch
  /// visits one of them. (Where the copies differ, the larger number.)
  std::vector<double> peak;
  /// Per device, in bytes; empty unless sizes were given.
  std::vector<double> peak_bytes;
};

/// What an activation takes, and when it is given back.
struct MemoryOptions {
  /// Share of an activation that InputGradient frees; WeightGradient frees the rest.
  double freed_by_input_gradient = 0;
  /// What one micro-batch's activation takes on a stage: one for all, or one for each.
  /// A slice takes its share.
  std::vector<double> activation_bytes = {};
  /// Share of an activation that is the input of the stage, and stays until the
  /// backward although the activation is re-computed: one for all stages, or one for
  /// each; empty: 0.
  std::vector<double> input_share = {};
};

/// Inside joined entries (an overlapped forward and backward) the forward allocates
/// before the backward frees. Linear in the number of actions.
Memory memory(const Schedule& schedule, const MemoryOptions& options = {});

}  // namespace pipeline
