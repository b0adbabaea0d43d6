/// \file
/// The generators: from the shape of a pipeline to its schedule. One source file each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What a generator is asked for, each at least 1. Sizes are bounded (see bounds.hpp)
/// before anything is allocated.
struct Shape {
  std::int32_t devices = 1;        ///< p
  std::int32_t micro_batches = 1;  ///< m, of one step
  std::int32_t steps = 1;          ///< steps in a row
  /// The optimizer clips by the norm of all gradients, so that no stage updates before
  /// all of them are done: a barrier at the end of each step.
  bool global_norm = false;
};

// In every synchronous schedule below each stage ends a step with one `Update`, and
// runs its weight gradients in the order of the micro-batches: gradients then add up in
// the same order on every schedule, so that all of them train the same weights bit for
// bit (two-way ones those of each half). Several steps follow one another in each row,
// and micro-batches number on.

/// Forwards alone: device s runs F0, F1, … (the ticks of chapter 01).
Expected<Schedule> forward_only(const Shape& shape);

/// Naive model parallelism: one micro-batch at a time through all devices and back, so
/// that one device is busy at a time.
Expected<Schedule> model_parallel(const Shape& shape);

/// GPipe (Huang et al. 2019, section 2.3): all forwards, then all backwards.
Expected<Schedule> gpipe(const Shape& shape);

/// 1F1B (PipeDream-Flush; Narayanan et al. 2021, section 2.2): min(p-1-s, m) forwards
/// to warm up on stage s, then one forward and one backward in turn, then the rest.
Expected<Schedule> one_f_one_b(const Shape& shape);

/// The same with at most `held[s]` micro-batches in flight on stage s, where 1F1B holds
/// p-s: more, and slow links cost less (see `in_flight_to_hide`). No stage can hold
/// more than the one before it, which would wait for it forever: that is refused.
Expected<Schedule> one_f_one_b(const Shape& shape, std::span<const std::int32_t> held);

// Asynchronous: no step is flushed, so the devices never idle once they are warm, and
// forwards and backwards of one micro-batch meet weights of different ages. None knows
// a moment for a global norm, which all of them refuse.

/// PipeDream (Narayanan et al. 2019, section 3.2): the order of 1F1B over all
/// micro-batches of all steps, an `Update` after each backward; the weights of each of
/// the p-s micro-batches in flight on stage s are stashed.
Expected<Schedule> pipedream(const Shape& shape);

/// The same rows, but each micro-batch uses on every stage the version that stage 0 had
/// when it came in (section 3.3, vertical sync).
Expected<Schedule> pipedream_vertical_sync(const Shape& shape);

/// PipeDream-2BW (Narayanan et al. 2021, "Memory-Efficient Pipeline-Parallel DNN
/// Training", section 3.1): the same order, an `Update` once in m micro-batches, two
/// versions of the weights. Needs m >= p.
Expected<Schedule> pipedream_2bw(const Shape& shape);

// Two-way: micro-batches meet from both ends, and a device has two things to do at a
// time.

/// DualPipe (DeepSeek-AI 2024, DeepSeek-V3 Technical Report, section 3.2.1): half of
/// the micro-batches from each end, on a copy of the weights each; in the steady part a
/// forward of one way and a backward of the other are one overlapped entry. Needs an
/// even p and an even m >= 2p. With F = I the bubble is (p/2-1)(FB+B-3W) and every
/// device holds at most p+1 activations, of both stages together: inside an overlapped
/// entry the forward allocates before the backward frees.
Expected<Schedule> dual_pipe(const Shape& shape);

/// DualPipeV ("cut in half", DeepSeek-AI 2025): one copy, two stages on each device,
/// and the same rows as DualPipe on twice the devices and micro-batches. Needs m >= 2p.
/// Bubble (p-1)(FB+B-3W), peak 2p+1 activations of a stage.
Expected<Schedule> dual_pipe_v(const Shape& shape);

/// What two-way schedules are held against: one device with both copies of the weights,
/// one micro-batch at a time, each half of a step on its own copy. Their gradients add
/// up apart and are then joined, in the same order as on two ways. Needs p = 1, m >= 2.
Expected<Schedule> one_device_in_halves(const Shape& shape);

/// Token slices (TeraPipe, Li et al. 2021, section 3.2): every sequence is cut into
/// slices, which follow one another through the pipeline like micro-batches; all
/// forwards, then all backwards, those of a micro-batch from its last slice to its
/// first. `slices`: one count for all micro-batches, or one for each; empty: 4.
/// slicing.hpp finds the best lengths.
Expected<Schedule> token_slices(const Shape& shape,
                                const std::vector<std::int32_t>& slices);

/// All that may be asked of a generator. Each reads what it needs of it.
struct Request {
  Shape shape;  ///< p, m, and how many steps
  /// Stages a device holds, where that can be chosen; 0: the schedule's own default.
  std::int32_t chunks = 0;
  std::int32_t group_size = 0;  ///< of interleaved 1F1B; 0: balanced groups
  /// Slices of each micro-batch: one count for all, or one for each; empty: 4.
  std::vector<std::int32_t> slices = {};
  // What a search goes by.
  Costs costs = {};  ///< of stages and messages
  /// Most activations that a device may hold, counted like `Memory::peak`: one for all
  /// devices, or one for each; empty: no limit.
  std::vector<double> memory_limit = {};
  double freed_by_input_gradient = 0;  ///< share of an activation; W frees the rest
};

/// Which parts of a request, beside the shape, a generator reads. What it does not read
/// must have been left as it is.
struct Reads {
  bool chunks = false;        ///< `Request::chunks`
  bool group_size = false;    ///< `Request::group_size`
  bool slices = false;        ///< `Request::slices`
  bool memory_limit = false;  ///< `Request::memory_limit`
};

/// A schedule as the command line knows it.
struct Generator {
  std::string_view name;                           ///< e.g. "1f1b"
  std::string_view summary;                        ///< one line for help
  Expected<Schedule> (*generate)(const Request&);  ///< refuses what it cannot make
  Reads reads = {};                                ///< beside the shape
};

/// Every generator there is, in the order in which the chapters meet them.
std::span<const Generator> generators();

/// By name; an unknown name is refused with the list of those there are, and so is what
/// was asked for but is not read.
Expected<Schedule> generate(std::string_view name, const Request& request);

// What generators share.

/// How the stages of a schedule lie, and how much its rows will hold.
struct Arrangement {
  std::int32_t chunks = 1;  ///< stages a device
  /// Makes the placement.
  Placement (*place)(std::int32_t devices, std::int32_t chunks) = nullptr;
  bool training = true;               ///< whether there are backwards and updates
  std::int32_t actions_per_cell = 2;  ///< of each stage and micro-batch
};

/// What every generator starts from: its placement (null: a stage on each device), and
/// empty rows with room for what each micro-batch and each step brings. A shape out of
/// bounds is refused with the value.
Expected<Schedule> blank_schedule(std::string_view name, const Shape& shape,
                                  const Arrangement& arrangement);

/// Why the two-way schedule `name` cannot run on so many devices, if they are odd in
/// number: the one in the middle would hold both copies of its stage.
std::optional<Error> refuse_odd_devices(std::string_view name, std::int32_t devices);

/// Ends step `step` in all rows: the `Reduce` of each stage that has two copies, the
/// `ReduceNorm` if asked for, and an `Update` for each stage of the row, in the order
/// of the stages.
void append_updates(Schedule& schedule, std::int32_t step, bool global_norm);

}  // namespace pipeline
