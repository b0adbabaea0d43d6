#include "timeline/costs_from.hpp"

#include <cstddef>
#include <numeric>
#include <vector>

#include "timeline/median.hpp"

namespace pipeline {
namespace {

using Durations = std::vector<double>;

/// All durations that were measured on one stage.
struct StageDurations {
  Durations forward, backward, input_gradient, weight_gradient, recompute, overlapped,
      update, reduce;

  Durations* of(ActionKind kind) {
    switch (kind) {
      case ActionKind::Forward:
        return &forward;
      case ActionKind::Backward:
        return &backward;
      case ActionKind::InputGradient:
        return &input_gradient;
      case ActionKind::WeightGradient:
        return &weight_gradient;
      case ActionKind::Recompute:
        return &recompute;
      case ActionKind::Update:
        return &update;
      case ActionKind::Reduce:
        return &reduce;
      default:
        return nullptr;
    }
  }
};

double average_of(const Durations& durations, Average average) {
  if (durations.empty()) return 0;
  if (average == Average::Median) return median(durations);
  return std::accumulate(durations.begin(), durations.end(), 0.0) /
         static_cast<double>(durations.size());
}

/// The computations of one cell, of which all share one span.
void note_cell(const std::vector<Action>& cell, double duration,
               std::vector<StageDurations>& stages) {
  const auto stage_of = [&](const Action& action) -> StageDurations& {
    return stages[static_cast<std::size_t>(action.stage)];
  };
  if (cell.size() == 1) {
    Durations* durations = stage_of(cell[0]).of(cell[0].kind);
    if (durations != nullptr) durations->push_back(duration);
    return;
  }
  if (cell.size() != 2) return;
  const bool pair =
      (cell[0].kind == ActionKind::Forward && cell[1].kind == ActionKind::Backward) ||
      (cell[1].kind == ActionKind::Forward && cell[0].kind == ActionKind::Backward);
  if (!pair) return;
  for (const Action& action : cell) stage_of(action).overlapped.push_back(duration);
}

void note_row(const Row& row, const std::vector<Span>& spans,
              std::vector<StageDurations>& stages, Durations& receives) {
  std::vector<Action> cell;
  double duration = 0;
  for (std::size_t i = 0; i < row.size() && i < spans.size(); ++i) {
    const Action& action = row[i].action;
    if (!is_communication(action.kind)) {
      cell.push_back(action);
      duration = spans[i].length();
    } else if (action.kind == ActionKind::ReceiveActivation ||
               action.kind == ActionKind::ReceiveGradient) {
      receives.push_back(spans[i].length());
    }
    if (row[i].with_next) continue;
    note_cell(cell, duration, stages);
    cell.clear();
  }
}

StageCosts costs_of(const StageDurations& durations, Average average) {
  StageCosts costs;
  costs.forward = average_of(durations.forward, average);
  costs.input_gradient = average_of(durations.input_gradient, average);
  costs.weight_gradient = average_of(durations.weight_gradient, average);
  if (durations.input_gradient.empty() && durations.weight_gradient.empty()) {
    costs.input_gradient = average_of(durations.backward, average) / 2;
    costs.weight_gradient = costs.input_gradient;
  }
  costs.recompute = durations.recompute.empty()
                        ? costs.forward
                        : average_of(durations.recompute, average);
  costs.overlapped = durations.overlapped.empty()
                         ? costs.forward + costs.backward()
                         : average_of(durations.overlapped, average);
  costs.update = average_of(durations.update, average);
  costs.reduce = average_of(durations.reduce, average);
  return costs;
}

}  // namespace

Costs costs_from(const Schedule& schedule, const Timeline& measured, Average average) {
  std::vector<StageDurations> stages(static_cast<std::size_t>(schedule.stages()));
  Durations transfers;
  for (std::size_t d = 0; d < schedule.rows.size() && d < measured.spans.size(); ++d) {
    note_row(schedule.rows[d], measured.spans[d], stages, transfers);
  }
  if (!measured.transfers.empty()) {
    transfers.clear();
    for (const Transfer& transfer : measured.transfers) {
      transfers.push_back(transfer.span.length());
    }
  }
  Costs costs;
  costs.stages.clear();
  for (const StageDurations& durations : stages) {
    costs.stages.push_back(costs_of(durations, average));
  }
  costs.within_node.latency = average_of(transfers, average);
  costs.between_nodes.latency = costs.within_node.latency;
  return costs;
}

}  // namespace pipeline
