/// \file
/// Runs a schedule for real. A worker thread a device walks its row and only *issues*
/// work: computations on the device's compute stream, transfers on its copy stream,
/// ordered by events. It never waits for results, so that it runs ahead of its device:
///
///     worker 0   F0 send F1 send …                      (host: issues, then sleeps)
///     compute 0  ──[F0]●──[F1]●──…
///     copy 1           ╰[act 0]●  ╰[act 1]●             (the receiver pulls)
///     compute 1                ╰[F0]──●…
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/split.hpp"
#include "runtime/network.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Samples and their labels, on the host; valid until the run has returned. A sample
/// has one position, or, a sequence, one for each of its tokens.
struct Batch {
  const float* inputs = nullptr;  ///< rows x positions x inputs of the first layer
  const std::int32_t* labels = nullptr;  ///< rows x positions
  std::int32_t rows = 0;                 ///< samples
  std::int32_t positions = 1;            ///< of each sample
};

/// How long the slices are into which a schedule cuts sequences.
struct SliceLengths {
  /// In positions: a list for each micro-batch of a step, or one for all; empty: as
  /// even as it goes, for sequences of any length.
  std::vector<std::vector<std::int32_t>> lengths = {};

  /// The positions of slice `slice` of `slices`, in micro-batch `place` of its step.
  RowRange range(std::int32_t positions, std::int32_t slices, std::int32_t place,
                 std::int32_t slice) const;
  /// Why sequences of so many positions cannot be cut like this, if they cannot.
  std::optional<Error> fault_of(const Schedule& schedule, std::int32_t positions) const;
  /// Positions of the longest slice of sequences of at most so many.
  std::int32_t longest(const Schedule& schedule, std::int32_t positions) const;
};

/// How an executor runs its schedule.
struct ExecutorOptions {
  /// The largest norm of all gradients together: larger ones are scaled down to it
  /// before each update. 0: none. Needs a schedule that takes the norm (`global_norm`).
  float clip = 0;
  std::int32_t buffers = 2;         ///< messages in flight a link; 0 is rendezvous
  std::int32_t most_positions = 1;  ///< of a sample
  SliceLengths slices = {};         ///< where the schedule cuts sequences
  /// False: a schedule that would hang is not refused, but stopped once it hangs.
  bool verify_first = true;
};

/// An output that was infinite or not a number: of the first micro-batch that had one,
/// in the first layer that did.
struct NotFinite {
  std::int32_t stage = 0;  ///< in model order
  std::int32_t layer = 0;  ///< its place in the network
  std::int32_t step = 0;   ///< of the run
};

/// What a run of one or several steps came to.
struct RunResult {
  std::vector<double> step_loss;  ///< mean loss over the rows of each step
  /// Norm of all gradients of each step, before it is clipped; empty where the schedule
  /// takes none (`ReduceNorm`).
  std::vector<double> step_norm;
  std::int64_t rows = 0;     ///< samples x positions
  std::int64_t correct = 0;  ///< rows whose largest logit was the label
  /// Where a loss or an activation first ceased to be a number, if one did; the weights
  /// are then lost.
  std::optional<NotFinite> not_finite;
  /// In seconds from the first start; belongs to `Executor::schedule()`. All messages
  /// are in `transfers`.
  Timeline timeline;
  /// Per device: most activations (of one stage and one micro-batch) held at once, as
  /// counted by the work itself, without those of which only the input is left. The
  /// measured side of `Memory::peak_chunks`.
  std::vector<std::int32_t> peak_live;
  /// Per stage, likewise: how many versions of its weights (of one copy) were kept, and
  /// by how many updates its weights had moved on, at most, between a gradient and its
  /// use. The measured side of `WeightVersions`.
  std::vector<std::int32_t> weight_versions;
  std::vector<std::int32_t> most_stale;  ///< see `weight_versions`
};

/// A schedule, ready to be run on a placed network again and again. Everything that it
/// needs is planned and allocated when it is made; after its first run, which sees the
/// shapes for the first time, a run allocates nothing.
class Executor {
 public:
  /// `schedule` may be lowered or not. `most_rows` is that of the largest batch. A
  /// schedule with faults is refused in the words of `verify`, and one without the norm
  /// of all gradients where the network has tied layers: their gradients are summed
  /// when all devices meet in it. `network` must outlive the executor. Several
  /// executors may share a network, one running at a time.
  static Expected<std::unique_ptr<Executor>> make(PlacedNetwork& network,
                                                  const Schedule& schedule,
                                                  std::int32_t most_rows,
                                                  const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Trains on (or, forward-only, evaluates) one batch a step; there must be as many
  /// batches as the schedule has steps. Batches may differ in rows; each is split into
  /// balanced micro-batches. An update takes in one batch; where the schedule updates
  /// after each micro-batch (`micro_batches_per_update()` is 1), one micro-batch, whose
  /// loss is the mean over its own rows. Each run starts from the newest weights, and
  /// ends when the pipeline is empty. Fails when the schedule hangs, with the cycle in
  /// words; some stages may then have been updated and others not. `first_step` counts
  /// the steps of training before this run: rates, moments and dropout go by it.
  Expected<void> run(std::span<const Batch> batches, std::int64_t first_step = 0);

  /// Of the last run that succeeded.
  const RunResult& result() const;
  /// As given to `make`.
  const Schedule& schedule() const;
  /// Bytes that the executor holds on a device, on top of the network's own: slots,
  /// message buffers and versions of the weights as planned from the schedule, labels
  /// and losses, what the sums over devices need. What the device's meter shows for it.
  std::size_t planned_bytes(std::int32_t device) const;

 private:
  struct Parts;
  explicit Executor(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace pipeline
