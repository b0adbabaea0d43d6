#include "schedule/lower.hpp"

#include <cstddef>
#include <utility>

namespace pipeline {
namespace {

bool crosses(const Placement& placement, std::int32_t stage, std::int32_t neighbour) {
  const std::int32_t stages = placement.stages();
  return stage >= 0 && stage < stages && neighbour >= 0 && neighbour < stages &&
         placement.device_of(stage) != placement.device_of(neighbour);
}

bool gives_input_gradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::InputGradient;
}

// Builds one row. Communication joins what was added right before it, if that was
// communication too: so all between two computations ends up in one group.
class RowBuilder {
 public:
  explicit RowBuilder(std::size_t entries) { row_.reserve(entries); }

  void communicate(ActionKind kind, const Action& computation) {
    if (!row_.empty() && is_communication(row_.back().action.kind)) {
      row_.back().with_next = true;
    }
    row_.push_back(
        {{kind, computation.slice, computation.stage, computation.micro_batch}});
  }
  void compute(const Entry& entry) { row_.push_back(entry); }
  Row take() { return std::move(row_); }

 private:
  Row row_;
};

void receive_for(const Action& action, const Placement& placement, RowBuilder& to) {
  if (action.kind == ActionKind::Forward &&
      crosses(placement, action.stage, action.stage - 1)) {
    to.communicate(ActionKind::ReceiveActivation, action);
  }
  if (gives_input_gradient(action.kind) &&
      crosses(placement, action.stage, action.stage + 1)) {
    to.communicate(ActionKind::ReceiveGradient, action);
  }
}

void send_from(const Action& action, const Placement& placement, RowBuilder& to) {
  if (action.kind == ActionKind::Forward &&
      crosses(placement, action.stage, action.stage + 1)) {
    to.communicate(ActionKind::SendActivation, action);
  }
  if (gives_input_gradient(action.kind) &&
      crosses(placement, action.stage, action.stage - 1)) {
    to.communicate(ActionKind::SendGradient, action);
  }
}

Row lower_row(const Row& row, const Placement& placement) {
  // A computation has at most one receive and one send.
  RowBuilder lowered(3 * row.size());
  for (std::size_t begin = 0; begin < row.size();) {
    std::size_t end = begin + 1;
    while (end < row.size() && row[end - 1].with_next) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      receive_for(row[i].action, placement, lowered);
    }
    for (std::size_t i = begin; i < end; ++i) lowered.compute(row[i]);
    for (std::size_t i = begin; i < end; ++i) {
      send_from(row[i].action, placement, lowered);
    }
    begin = end;
  }
  return lowered.take();
}

}  // namespace

Schedule lower(const Schedule& schedule) {
  if (is_lowered(schedule)) return schedule;
  Schedule lowered;
  lowered.name = schedule.name;
  lowered.placement = schedule.placement;
  lowered.micro_batches = schedule.micro_batches;
  lowered.steps = schedule.steps;
  lowered.training = schedule.training;
  lowered.weights = schedule.weights;
  lowered.slices = schedule.slices;
  lowered.rows.reserve(schedule.rows.size());
  for (const Row& row : schedule.rows) {
    lowered.rows.push_back(lower_row(row, schedule.placement));
  }
  return lowered;
}

bool is_lowered(const Schedule& schedule) {
  for (const Row& row : schedule.rows) {
    for (const Entry& entry : row) {
      if (is_communication(entry.action.kind)) return true;
    }
  }
  return false;
}

}  // namespace pipeline
