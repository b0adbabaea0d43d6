/// \file
/// Which version of its stage's weights each micro-batch meets: a function of the rows
/// and the weight policy alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// What one micro-batch does with the weights of one stage. Versions count the updates
/// that the stage has seen: version 0 are the initial weights, and its n-th `Update`
/// (from 0) turns version n into n+1. The two copies of a two-way schedule count apart.
struct WeightUse {
  static constexpr std::int32_t kNever = -1;  ///< there is no such version

  std::int32_t forward = kNever;     ///< the version that the forward uses
  std::int32_t backward = kNever;    ///< and the backward (or its input gradient)
  std::int32_t applied_to = kNever;  ///< the version that its gradient is added to

  /// How many updates the weights have moved on between the gradient and its use; 0
  /// where the gradient is never used.
  std::int32_t staleness() const { return std::max(applied_to - backward, 0); }

  bool operator==(const WeightUse&) const = default;
};

/// All that happens to the weights in a run.
struct WeightVersions {
  std::int32_t micro_batches = 0;  ///< of all steps
  /// Those of stage s follow one another by micro-batch, those of s+1 come next.
  std::vector<WeightUse> uses;
  /// Per stage: most versions kept at once (of one copy), the newest among them. A
  /// version is kept until the last backward of the micro-batches that use it, under
  /// VerticalSync also for those that have not come yet.
  std::vector<std::int32_t> most_kept;
  /// Per stage: the largest staleness of any micro-batch.
  std::vector<std::int32_t> most_stale;

  /// The version that an action uses (forward, backward, input gradient, recompute), or
  /// that an update makes; nothing for other kinds, and for what the schedule does not
  /// have.
  std::optional<std::int32_t> of(const Action& action) const;

  /// What one micro-batch does on one stage.
  const WeightUse& of(std::int32_t stage, std::int32_t micro_batch) const {
    return uses[static_cast<std::size_t>(stage) *
                    static_cast<std::size_t>(micro_batches) +
                static_cast<std::size_t>(micro_batch)];
  }
};

/// By policy (u = updates that stand before the forward in the row of its device):
///
/// - Synchronous: forward u; backward what is newest where it stands, since nothing is
///   stashed. In valid rows both are the number of the step, and staleness is 0.
/// - Stashed (PipeDream, Narayanan et al. 2019, section 3.3): u, for both. In 1F1B
///   order stage s keeps p-s versions, and staleness is p-1-s.
/// - VerticalSync (ibid.): what Stashed gives stage 0, on all stages: w(t-p+1) for
///   micro-batch t, so that every stage keeps p versions.
/// - DoubleBuffered (PipeDream-2BW, Narayanan et al. 2021, section 3.1): in step t what
///   update t-2 left, version max(0, t-1): w(t+1) = w(t) - g(w(t-1)), two versions.
///
/// The schedule must have passed `verify`; an action of a stage or micro-batch that it
/// does not have is passed over. Linear in the number of actions.
WeightVersions weight_versions(const Schedule& schedule);

}  // namespace pipeline
