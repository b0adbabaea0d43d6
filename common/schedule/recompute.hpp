/// \file
/// Re-materialization (Chen et al. 2016, "Training Deep Nets with Sublinear Memory
/// Cost"; in pipelines: Huang et al. 2019, section 2.3): forget an activation, keep the
/// input of the stage, and make it again before the backward needs it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// Which micro-batches a stage re-computes.
enum class RecomputePolicy : std::uint8_t {
  Never,   ///< no micro-batch: every activation is kept
  Always,  ///< every micro-batch
  /// All but those for which the device held nothing but this: no other forward of the
  /// stage runs between theirs and their backward. In a schedule with flushes that is
  /// the last one of a step (`except_last` of torchgpipe), and on the last stage of
  /// 1F1B each one.
  AllButLast,
  ForMemory,  ///< as few as will do to stay within a limit
};

/// "never", "always", "all-but-last", "for-memory".
std::string_view to_text(RecomputePolicy policy);

/// Which micro-batches to re-compute, and what a limit counts.
struct RecomputeOptions {
  /// One for all stages, or one for each.
  std::vector<RecomputePolicy> policies = {RecomputePolicy::Always};
  /// What ForMemory goes by: the most that a device may hold, one for all devices, or
  /// one for each. Counted like `Memory::peak`; with `activation_bytes` in bytes, like
  /// `Memory::peak_bytes`.
  std::vector<double> limit = {};
  // As in MemoryOptions.
  double freed_by_input_gradient = 0;         ///< share that InputGradient frees
  std::vector<double> activation_bytes = {};  ///< by stage, or one for all
  std::vector<double> input_share = {};  ///< share of an activation that is its input
};

/// The same schedule with a `Recompute` of its own right before each backward (whole,
/// or its InputGradient) that the policies ask for. It does not wait for the gradient
/// and can run while the device would idle:
///
///     1F1B, p=2     F0 F1 ·· B0 F2 ·· B1 …        F0 F1 R0 B0 F2 R1 B1 …
///                   F0 B0    F1 B1                F0 R0 B0 F1 R1 B1 …
///
/// Before an overlapped pair (DualPipe) it stands before the pair, alone.
///
/// ForMemory re-computes, device by device, the fewest for which the device stays
/// within its limit, if all activations there have the same size; where they differ, so
/// few that none of them could be kept as well. (Of the activations in order of their
/// backwards, each is kept that fits beside those kept already.) What cannot be kept
/// within the limit even with all of them re-computed is refused with the least limit
/// that can. O(n log n) in the actions of a row; the other policies are linear.
///
/// Takes every schedule that trains, with chunks, two copies, slices, halved or
/// overlapped backwards. Refused: one with faults (in the words of `verify`), one that
/// only goes forward, is lowered already or re-computes already, and options of the
/// wrong count or out of range.
Expected<Schedule> with_recompute(const Schedule& schedule,
                                  const RecomputeOptions& options = {});

/// Per device: how many forwards run twice.
std::vector<std::int64_t> recomputes_of(const Schedule& schedule);

}  // namespace pipeline
