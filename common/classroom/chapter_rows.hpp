/// \file
/// For exercises that build rows: the entries to build them of, and, for their tests,
/// what stands in a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"
#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {

/// The forward of a micro-batch on a stage.
inline Entry forward_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::Forward, 0, stage, micro_batch}};
}

/// Its full backward: the gradients of the stage's input and of its weights.
inline Entry backward_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::Backward, 0, stage, micro_batch}};
}

/// Its forward once more, to make again what was not kept for the backward.
inline Entry recompute_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::Recompute, 0, stage, micro_batch}};
}

/// Receives the activation that the stage before has sent.
inline Entry receive_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::ReceiveActivation, 0, stage, micro_batch}};
}

/// Sends the stage's activation to the stage after it.
inline Entry send_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::SendActivation, 0, stage, micro_batch}};
}

/// A row as people read it: "F0 F1 B0 B1".
inline std::string row_in_words(const Row& row) {
  std::string words;
  for (const Entry& entry : row) {
    words += (words.empty() ? "" : " ") + to_text(entry.action, false);
  }
  return words.empty() ? "(empty)" : words;
}

/// The micro-batches of one kind of action, in the order of the row.
inline std::vector<std::int32_t> order_of(const Row& row, ActionKind kind) {
  std::vector<std::int32_t> order;
  for (const Entry& entry : row) {
    if (entry.action.kind == kind) order.push_back(entry.action.micro_batch);
  }
  return order;
}

/// One step made of these rows, a stage a device. Training rows get the update that
/// ends the step.
inline Schedule one_step(std::string name, std::vector<Row> rows,
                         std::int32_t micro_batches, bool training) {
  Schedule schedule;
  schedule.name = std::move(name);
  schedule.placement = one_stage_per_device(static_cast<std::int32_t>(rows.size()));
  schedule.micro_batches = micro_batches;
  schedule.training = training;
  schedule.rows = std::move(rows);
  for (std::int32_t s = 0; training && s < schedule.stages(); ++s) {
    schedule.rows[static_cast<std::size_t>(s)].push_back(
        {{ActionKind::Update, 0, s, micro_batches - 1}});
  }
  return schedule;
}

/// The first fault of a schedule in words, or nothing. A row that is absurdly long is
/// not looked at.
inline std::string first_fault(const Schedule& schedule,
                               const VerifyOptions& options = {}) {
  for (const Row& row : schedule.rows) {
    if (row.size() > 100000)
      return "a row of " + std::to_string(row.size()) + " entries";
  }
  const std::vector<Fault> faults = verify(schedule, options);
  return faults.empty() ? "" : faults.front().reason;
}

}  // namespace pipeline
