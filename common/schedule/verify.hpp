/// \file
/// Every fault of a schedule, each with its reason.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

/// What is wrong with a schedule.
enum class FaultKind {
  Malformed,    ///< a stage, device or micro-batch that the schedule does not have
  Missing,      ///< an action that the step needs and no row holds
  Twice,        ///< the same action more than once
  WrongDevice,  ///< an action in the row of a device that does not hold its stage
  OutOfOrder,   ///< actions that wait for each other in a circle (the cycle is in the
                ///< reason)
  OverMemory,   ///< more live activations on a device than its cap
  Unmatched,    ///< a send without its receive, or the reverse
  Blocked,      ///< communication that never completes at this buffer capacity
};

/// One thing that is wrong, and why.
struct Fault {
  FaultKind kind;      ///< what kind of fault it is
  std::string reason;  ///< a sentence for people
};

/// What to hold a schedule against, beside its own rules.
struct VerifyOptions {
  /// Most activations that a device may hold at once: one for all devices, or one for
  /// each; empty for no limit. Counted in micro-batches (like `Memory::peak`): in
  /// activations of one stage over the number of stages that one micro-batch visits on
  /// the device; a slice of a micro-batch counts as its share.
  std::vector<double> memory_limit = {};
  /// Messages a link holds that were sent and not yet received; 0 is rendezvous. Used
  /// on lowered rows only.
  std::int32_t buffers = 0;
  /// Share of an activation that InputGradient frees; WeightGradient frees the rest.
  double freed_by_input_gradient = 0;
  /// Share of an activation that is the input of the stage, and is held between a
  /// Forward and its Recompute: one for all stages, or one for each; empty: 0.
  std::vector<double> input_share = {};
};

/// All faults, empty when the schedule is valid; of each kind the first
/// `kMaximumFaultsOfAKind`, and then one that counts the rest. Linear in the number of
/// actions. What must hold:
///
/// - every stage runs each micro-batch (each slice of one, where it is cut) forward
/// once
///   and, when training, backward once, whole (`Backward`) or in halves
///   (`InputGradient` before `WeightGradient`), on the device that holds the
///   micro-batch's copy of the stage; at most one `Recompute` stands between;
/// - one `Update` of each stage and copy ends each step, or follows each backward where
///   weights are stashed. Two copies are summed before it: a `Reduce` on either. If any
///   device takes part in a `ReduceNorm` at the end of a step, all do (where weights
///   are stashed none can);
/// - a forward needs that of the stage before it, a backward that of the stage behind
///   it; of slices a forward needs the one before it, a backward the one behind. A
///   `Reduce` and an `Update` need all weight gradients that they take in, a
///   `ReduceNorm` those of all stages of its device and their sums, an `Update` both
///   sums and the norms of all devices. The next step's forwards on a stage need its
///   update (double-buffered: those of the step after that; stashed: none does). Rows
///   are run in order; joined entries start together;
/// - a `Reduce` ends when the other copy's device has come to its own (where one device
///   holds both copies it need not wait), a `ReduceNorm` when all devices have;
/// - no device holds more activations than its limit, in order of the rows: one from a
///   Forward to its Backward or WeightGradient (in a joined pair the forward takes
///   before the backward frees), in forward-only rows one while the forward runs; of
///   one that is re-computed only the input between the Forward and the Recompute.
///
/// On lowered rows (those with sends and receives) data between devices moves only by
/// messages. Each pair of neighbouring stages has, for each copy of the weights, two
/// links, activations one way and gradients the other, and each link is a queue of its
/// own, also where several links join the same two devices (a ring of two, for example,
/// whose previous and next device are the same): the i-th receive takes the i-th send,
/// and must want that very message. A send completes when its message fits in the
/// link's buffers or a receive has been posted for it; a receive completes when its
/// send has been posted. Joined sends and receives are posted together, and the row
/// goes on when all are complete.
///
/// After a circle of computations the search goes on as if one of them had run, to find
/// the next one; at the first hang (`Blocked`) it ends.
std::vector<Fault> verify(const Schedule& schedule, const VerifyOptions& options = {});

/// The most faults of one kind that are listed.
inline constexpr std::int64_t kMaximumFaultsOfAKind = 100;

/// What a waiting device says of itself: "stage 0 waits for gradient 0 from 1", or
/// "stage 0 waits for 1 to receive activation 2". The same words serve `verify` and the
/// watchdog of the runtime. `action` is the send or receive that `action.stage` cannot
/// complete.
std::string wait_in_words(const Action& action);

/// Why nothing moves, given the sends and receives that the devices are blocked on (any
/// number a device, in the order of its row): the circle of waits that starts from the
/// lowest device, "stage 0 waits for gradient 0 from 1; 1 waits for activation 1 from
/// 0". Without a circle (somebody computes, or has stopped) the waits themselves.
/// Actions that are no communication, or name stages that do not exist, are skipped.
std::string wait_cycle_in_words(const Schedule& schedule,
                                std::span<const Action> blocked);

}  // namespace pipeline
