#include <algorithm>
#include <string>

#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

// The row of one stage over the whole run; w = min(p-1-s, all) forwards to warm up:
//
//     F0 … F(w-1) │ F(w) B0 U  F(w+1) B1 U  F(w+2) B2 U  …  │ … B(last) U
//
// There is no flush: where 1F1B drains at the end of a step, this row goes on to the
// first forward of the next one. What keeps training sound instead is which weights a
// micro-batch uses (`Schedule::weights`).
void append_run(Row& row, std::int32_t stage, const Schedule& schedule) {
  const std::int32_t end = schedule.total_micro_batches();
  const std::int32_t every = schedule.micro_batches_per_update();
  const std::int32_t warm_up = std::min(schedule.devices() - 1 - stage, end);
  std::int32_t forward = 0;
  while (forward < warm_up) row.push_back({{ActionKind::Forward, 0, stage, forward++}});
  for (std::int32_t k = 0; k < end; ++k) {
    if (forward < end) row.push_back({{ActionKind::Forward, 0, stage, forward++}});
    row.push_back({{ActionKind::Backward, 0, stage, k}});
    if ((k + 1) % every == 0) row.push_back({{ActionKind::Update, 0, stage, k}});
  }
}

Expected<Schedule> without_flush(std::string_view name, const Shape& shape,
                                 WeightPolicy weights) {
  // A forward, a backward and an update.
  auto schedule = blank_schedule(name, shape, {.actions_per_cell = 3});
  if (!schedule) return schedule;
  if (shape.global_norm) {
    return refuse(std::string(name) +
                      " has no moment at which the gradients of all stages are known, "
                      "so none for their norm",
                  "leave the global norm out, or choose a schedule that flushes: 1f1b");
  }
  schedule->weights = weights;
  for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
    append_run(schedule->rows[static_cast<std::size_t>(stage)], stage, *schedule);
  }
  return schedule;
}

}  // namespace

//   device 0  F0 F1 F2 F3                B0 U F4 B1 U F5 …
//   device 1     F0 F1 F2          B0 U F3 B1 U F4 B2 U …
//   device 2        F0 F1    B0 U F2 B1 U F3 B2 U F4 …
//   device 3           F0 B0 U F1 B1 U F2 B2 U F3 …
Expected<Schedule> pipedream(const Shape& shape) {
  return without_flush("pipedream", shape, WeightPolicy::Stashed);
}

Expected<Schedule> pipedream_vertical_sync(const Shape& shape) {
  return without_flush("pipedream-vertical-sync", shape, WeightPolicy::VerticalSync);
}

Expected<Schedule> pipedream_2bw(const Shape& shape) {
  auto schedule = without_flush("pipedream-2bw", shape, WeightPolicy::DoubleBuffered);
  if (!schedule || shape.micro_batches >= shape.devices) return schedule;
  return refuse(
      "pipedream-2bw keeps two versions of the weights, enough only for at "
      "least as many micro-batches an update as devices, but " +
          counted(shape.micro_batches, "micro-batch") + " for " +
          counted(shape.devices, "device") + " were asked for",
      "ask for " + std::to_string(shape.devices) + " or more micro-batches, or for " +
          counted(shape.micro_batches, "device"));
}

}  // namespace pipeline
