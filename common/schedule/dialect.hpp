/// \file
/// The schedule files of other systems, read and written: a row a device, a cell an
/// action. Both files hold one step and no updates; the reader ends each row with them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// Whose form a file has.
enum class Dialect : std::uint8_t {
  /// The CSV that PyTorch's torch.distributed.pipelining dumps and loads: a line for
  /// each rank, cells between commas, an empty cell where the rank idles.
  ///
  ///     0F0,0F1,,0B0,,0B1               stage, action, micro-batch
  ///     ,1F0,1B0,1F1,1I1,1W1
  ///
  /// F forward, B full backward, I and W its halves; `(2F3;0B1)OVERLAP_F_B` an
  /// overlapped pair. `1SEND_F0`, `2RECV_F0`, `2SEND_B0` and `1RECV_B0` move an
  /// activation or a gradient, each named by the stage of the rank that does it.
  /// `0UNSHARD`, `0RESHARD` and `0REDUCE_GRAD` concern the ranks that share a stage's
  /// weights, and are skipped. Files from before I had its name say B for it and BW for
  /// a full backward: so is a file read that holds a BW, or that has a W for each of
  /// its B and no I.
  Torch,

  /// The letters of the zero-bubble schedules (as sail-sg/zero-bubble-pipeline-
  /// parallelism on GitHub prints them): a line for each device, cells between blanks
  /// or commas.
  ///
  ///     F0 F1 B0 W0 B1 W1               letter, micro-batch
  ///        F0 B0 F1 W0 BW1
  ///
  /// F forward, B gradient of the input (elsewhere in the workbook I), W gradient of
  /// the weights, BW both at once. Where two stages lie on a device in a V, upper case
  /// is the one on the way down and lower case the one on the way back; where stages
  /// lie in a loop, the second is `F0.1`, the third `F0.2`. `F-0` is read too. A file
  /// whose B stands before the b of the same micro-batch names backwards in the order
  /// in which they run: there B and W are the way back, b and w the way down. Lines
  /// that start with '#' are skipped.
  ZeroBubble,
};

/// What the reader cannot know from the file.
struct DialectOptions {
  std::string name = {};     ///< of the schedule; empty: that of the dialect
  bool global_norm = false;  ///< the step ends with the sum of the gradients' norm
};

/// Reads one step. How many stages and micro-batches there are and which device holds a
/// stage follow from the rows: in Torch, a stage is on the rank in whose row most of
/// its actions stand. Where each stage's first ceil(m/2) micro-batches are on one rank
/// and the others on another, there are two copies of the weights. A file with a send
/// or a receive gives lowered rows; they are done one after another, as PyTorch's are.
/// Without any backward the schedule is forward-only.
///
/// Refuses with the line, the cell and what to write instead, and before it allocates
/// more than the text itself calls for. Whether the schedule makes sense is for
/// `verify` to say.
Expected<Schedule> parse_dialect(Dialect dialect, std::string_view text,
                                 const DialectOptions& options = {});

/// The inverse, without idle cells: `parse_dialect(d, *to_dialect(d, s), {s.name}) ==
/// s` for every schedule of one synchronous step that ends its rows with
/// `append_updates`. What the dialect has no words for is refused with the reason. In
/// Torch, sends and receives that are posted as a group are written in an order in
/// which they also work one after another, each send when its receive is due.
Expected<std::string> to_dialect(Dialect dialect, const Schedule& schedule);

}  // namespace pipeline
