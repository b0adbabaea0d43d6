// Event-driven: each device walks its row until an input is missing; the action that
// brings the input wakes it again.
//
//   device 0   F0 F1 F2 │ B0 is missing, sleeps             wakes: B0 F3 …
//   device 1      F0 F1 │ B0 …              B0 done ──────────┘
//
// A device runs its row in order and its links carry messages in order of readiness,
// which is row order too. So no time depends on the order in which devices are woken,
// and no queue needs to be sorted by time.
#include "timeline/simulate.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "schedule/verify.hpp"

namespace pipeline {
namespace {

constexpr double kNotYet = -1;  // times are never negative
constexpr std::int64_t kNothing = -1;

/// Cells of one stage that lie side by side: a line of the cache. The lines of all
/// stages follow each other, since neighbouring devices are at work on neighbouring
/// micro-batches.
constexpr std::int64_t kLine = 8;

/// Entries by which rows are fetched before they are needed: with a thousand devices
/// taking turns, no cache keeps the line that each of them will need next.
constexpr std::ptrdiff_t kFetchAhead = 4;

/// The way that a stage's output takes to the next stage (or its gradient back).
struct Hop {
  std::int32_t consumer = -1;  ///< device that waits for it; -1 at the model's ends
  std::int32_t link = -1;      ///< which link it queues for; -1 if it takes no room
  double occupancy = 0;        ///< bytes / bandwidth
  double latency = 0;
};

struct Stage {
  std::int32_t device = 0;
  Hop onward;  ///< activation to the next stage
  Hop back;    ///< gradient to the one before
};

/// A device on its way through its row.
struct Walker {
  const Entry* next = nullptr;
  const Entry* end = nullptr;
  double free_at = 0;
  std::int64_t waits_for = kNothing;  ///< cell of the missing input
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const Costs& costs)
      : schedule_(schedule), costs_(costs) {}

  bool prepare();
  bool run();
  Timeline timeline(bool record_transfers) &&;

 private:
  void prepare_links();

  bool advance(std::int32_t device);
  bool run_cell(std::int32_t device, Walker& walker, const Entry* cell_end);

  bool fits(const Action& action, std::int32_t device) const;
  std::int64_t cell(std::int32_t stage, std::int32_t micro_batch) const {
    return (micro_batch / kLine * stride_ + stage) * kLine + micro_batch % kLine;
  }
  double& activation(std::int64_t cell) {
    return arrival_[static_cast<std::size_t>(cell)];
  }
  double& gradient(std::int64_t cell) { return activation(cells_ + cell); }
  double cost_of(const Action& action) const;
  double cost_of_cell(const Entry* first, const Entry* last) const;
  bool inputs_of(const Action& action, Walker& walker, double* start);
  void deliver(const Action& action, double end);
  Span send(const Hop& hop, double ready);
  void wake(const Hop& hop, std::int64_t cell);

  void find_departures(Timeline& timeline, bool record_transfers);
  void fill_communication(Timeline& timeline);
  Span transfer(const Action& action);

  const Schedule& schedule_;
  const Costs& costs_;
  std::int64_t micro_batches_ = 0;
  std::int64_t stride_ = 0;  ///< lines from one line of a stage to its next
  std::int64_t cells_ = 0;
  bool has_communication_ = false;
  std::vector<Stage> stages_;
  std::vector<Walker> walkers_;
  std::vector<std::int32_t> awake_;
  std::vector<double> link_free_at_;
  /// When the output of a cell is there for its consumer: activations of all cells,
  /// then gradients of all cells.
  std::vector<double> arrival_;
  std::vector<double> departure_;  ///< same cells; only where transfers are shown
  std::vector<std::vector<Span>> spans_;
};

// --- Setting up

/// False where the schedule is malformed or has too few actions for what it claims to
/// be: no table is ever larger than the schedule that asks for it.
bool Simulation::prepare() {
  const std::size_t devices = schedule_.rows.size();
  if (std::cmp_not_equal(devices, schedule_.devices()) || schedule_.devices() < 1 ||
      schedule_.stages() < 1 || schedule_.micro_batches < 1 || schedule_.steps < 1) {
    return false;
  }
  for (const std::int32_t device : schedule_.placement.device_of_stage) {
    if (device < 0 || device >= schedule_.devices()) return false;
  }
  std::int64_t actions = 0;
  for (const Row& row : schedule_.rows) {
    actions += static_cast<std::int64_t>(row.size());
  }
  micro_batches_ = std::int64_t{schedule_.micro_batches} * schedule_.steps;
  if (micro_batches_ > actions / schedule_.stages()) return false;
  stride_ = schedule_.stages() | 1;  // odd, so that lines spread over the cache
  cells_ = (micro_batches_ + kLine - 1) / kLine * kLine * stride_;

  prepare_links();
  arrival_.assign(static_cast<std::size_t>(schedule_.training ? 2 * cells_ : cells_),
                  kNotYet);
  spans_.resize(devices);
  walkers_.resize(devices);
  for (std::size_t d = 0; d < devices; ++d) {
    const Row& row = schedule_.rows[d];
    walkers_[d].next = row.data();
    walkers_[d].end = row.data() + row.size();
    spans_[d].reserve(row.size());
  }
  return true;
}

void Simulation::prepare_links() {
  const std::int32_t stages = schedule_.stages();
  stages_.resize(static_cast<std::size_t>(stages));
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> links;
  const auto hop = [&](std::int32_t from, std::int32_t to, double bytes) {
    Hop way{.consumer = schedule_.placement.device_of(to)};
    const std::int32_t sender = schedule_.placement.device_of(from);
    if (way.consumer == sender) return way;
    const LinkCosts& link = costs_.between(sender, way.consumer);
    way.latency = link.latency;
    if (link.bandwidth > 0 && bytes > 0) {
      way.occupancy = bytes / link.bandwidth;
      const auto id = static_cast<std::int32_t>(links.size());
      way.link = links.try_emplace({sender, way.consumer}, id).first->second;
    }
    return way;
  };
  for (std::int32_t s = 0; s < stages; ++s) {
    Stage& stage = stages_[static_cast<std::size_t>(s)];
    stage.device = schedule_.placement.device_of(s);
    if (s + 1 < stages) stage.onward = hop(s, s + 1, costs_.bytes_leaving(s));
    if (s > 0) stage.back = hop(s, s - 1, costs_.bytes_leaving(s - 1));
  }
  link_free_at_.assign(links.size(), 0);
}

// --- Running

/// False when some device still waits after all that could run has run.
bool Simulation::run() {
  awake_.resize(walkers_.size());
  for (std::size_t d = 0; d < awake_.size(); ++d) {
    awake_[awake_.size() - 1 - d] = static_cast<std::int32_t>(d);
  }
  std::size_t finished = 0;
  while (!awake_.empty()) {
    const std::int32_t device = awake_.back();
    awake_.pop_back();
    if (advance(device)) ++finished;
  }
  return finished == walkers_.size();
}

/// Inlined, since g++ 12 drops a call that does nothing but fetch.
[[gnu::always_inline]] inline void fetch_ahead(const Walker& walker,
                                               const std::vector<Span>& spans) {
  const auto distance = std::min(kFetchAhead, walker.end - walker.next);
  __builtin_prefetch(walker.next + distance);
  __builtin_prefetch(spans.data() + spans.size() + distance, /*for writing*/ 1);
}

/// Runs a device until its row ends (true) or an input is missing (false).
bool Simulation::advance(std::int32_t device) {
  Walker& walker = walkers_[static_cast<std::size_t>(device)];
  walker.waits_for = kNothing;
  while (walker.next != walker.end) {
    const Entry* cell_end = walker.next + 1;
    while (cell_end[-1].with_next && cell_end != walker.end) ++cell_end;
    if (!run_cell(device, walker, cell_end)) {
      fetch_ahead(walker, spans_[static_cast<std::size_t>(device)]);
      return false;
    }
  }
  return true;
}

/// Runs one entry, or several joined ones, once the inputs of all of them are there.
bool Simulation::run_cell(std::int32_t device, Walker& walker, const Entry* cell_end) {
  double start = walker.free_at;
  for (const Entry* entry = walker.next; entry != cell_end; ++entry) {
    if (!fits(entry->action, device)) return false;
    if (!inputs_of(entry->action, walker, &start)) return false;
  }
  const double end = start + cost_of_cell(walker.next, cell_end);
  walker.free_at = end;
  std::vector<Span>& spans = spans_[static_cast<std::size_t>(device)];
  for (const Entry* entry = walker.next; entry != cell_end; ++entry) {
    spans.push_back({start, end});
    deliver(entry->action, end);
  }
  walker.next = cell_end;
  return true;
}

bool Simulation::fits(const Action& action, std::int32_t device) const {
  return action.stage >= 0 && action.stage < schedule_.stages() &&
         action.micro_batch >= 0 && action.micro_batch < micro_batches_ &&
         action.slice == 0 &&
         stages_[static_cast<std::size_t>(action.stage)].device == device &&
         (schedule_.training || action.kind == ActionKind::Forward ||
          is_communication(action.kind));
}

double Simulation::cost_of(const Action& action) const {
  const StageCosts& costs = costs_.of(action.stage);
  switch (action.kind) {
    case ActionKind::Forward:
      return costs.forward;
    case ActionKind::Backward:
      return costs.backward();
    case ActionKind::InputGradient:
      return costs.input_gradient;
    case ActionKind::WeightGradient:
      return costs.weight_gradient;
    case ActionKind::Recompute:
      return costs.recompute;
    case ActionKind::Update:
      return costs.update;
    default:
      return 0;
  }
}

double Simulation::cost_of_cell(const Entry* first, const Entry* last) const {
  if (last - first == 1) return cost_of(first->action);
  const StageCosts* forward = nullptr;
  const StageCosts* backward = nullptr;
  double sum = 0;
  std::int32_t computations = 0;
  for (; first != last; ++first) {
    const Action& action = first->action;
    if (is_communication(action.kind)) continue;
    const StageCosts* costs = &costs_.of(action.stage);
    if (action.kind == ActionKind::Forward) forward = costs;
    if (action.kind == ActionKind::Backward) backward = costs;
    sum += cost_of(action);
    ++computations;
  }
  const bool overlapped =
      computations == 2 && forward != nullptr && backward != nullptr;
  return overlapped ? (forward->overlapped + backward->overlapped) / 2 : sum;
}

/// Moves `start` to the arrival of the action's input; false, and noted in the walker,
/// when that has no time yet. Inputs made by the same stage come from the same row,
/// before or never: for them only that they are there is asked.
bool Simulation::inputs_of(const Action& action, Walker& walker, double* start) {
  const std::int64_t own = cell(action.stage, action.micro_batch);
  const bool first = action.stage == 0;
  const bool last = action.stage + 1 == schedule_.stages();
  std::int64_t input = kNothing;
  switch (action.kind) {
    case ActionKind::Forward:
      if (first) return true;
      input = cell(action.stage - 1, action.micro_batch);
      break;
    case ActionKind::Backward:
    case ActionKind::InputGradient:
      // The gradient of the next stage exists only if all forwards of the micro-batch
      // do, this stage's too.
      if (last) return activation(own) != kNotYet;
      input = cells_ + cell(action.stage + 1, action.micro_batch);
      break;
    case ActionKind::WeightGradient:
      return gradient(own) != kNotYet;
    case ActionKind::Recompute:
      return activation(own) != kNotYet && gradient(own) == kNotYet;
    default:
      return true;
  }
  const double arrival = activation(input);
  if (arrival == kNotYet) {
    walker.waits_for = input;
    return false;
  }
  *start = std::max(*start, arrival);
  return true;
}

void Simulation::deliver(const Action& action, double end) {
  const Stage& stage = stages_[static_cast<std::size_t>(action.stage)];
  const std::int64_t own = cell(action.stage, action.micro_batch);
  if (action.kind == ActionKind::Forward) {
    activation(own) = send(stage.onward, end).end;
    wake(stage.onward, own);
  } else if (action.kind == ActionKind::Backward ||
             action.kind == ActionKind::InputGradient) {
    gradient(own) = send(stage.back, end).end;
    wake(stage.back, cells_ + own);
  } else if (is_communication(action.kind)) {
    has_communication_ = true;
  }
}

Span Simulation::send(const Hop& hop, double ready) {
  if (hop.link < 0) return {ready, ready + hop.latency};
  double& free_at = link_free_at_[static_cast<std::size_t>(hop.link)];
  const double departure = std::max(ready, free_at);
  free_at = departure + hop.occupancy;
  return {departure, free_at + hop.latency};
}

void Simulation::wake(const Hop& hop, std::int64_t cell) {
  if (hop.consumer < 0) return;
  Walker& walker = walkers_[static_cast<std::size_t>(hop.consumer)];
  if (walker.waits_for != cell) return;
  walker.waits_for = kNothing;
  awake_.push_back(hop.consumer);
}

// --- Showing the transfers

Timeline Simulation::timeline(bool record_transfers) && {
  Timeline timeline;
  timeline.spans = std::move(spans_);
  if (record_transfers || has_communication_) {
    find_departures(timeline, record_transfers);
  }
  if (has_communication_) fill_communication(timeline);
  return timeline;
}

/// Sends everything once more: a link is fed by one device, so row order is enough.
void Simulation::find_departures(Timeline& timeline, bool record_transfers) {
  std::fill(link_free_at_.begin(), link_free_at_.end(), 0.0);
  departure_.assign(arrival_.size(), kNotYet);
  for (std::size_t d = 0; d < timeline.spans.size(); ++d) {
    for (std::size_t i = 0; i < timeline.spans[d].size(); ++i) {
      const Action& action = schedule_.rows[d][i].action;
      const bool forward = action.kind == ActionKind::Forward;
      if (!forward && action.kind != ActionKind::Backward &&
          action.kind != ActionKind::InputGradient) {
        continue;
      }
      const Stage& stage = stages_[static_cast<std::size_t>(action.stage)];
      const Hop& hop = forward ? stage.onward : stage.back;
      const std::int64_t own = cell(action.stage, action.micro_batch);
      const Span span = send(hop, timeline.spans[d][i].end);
      departure_[static_cast<std::size_t>(forward ? own : cells_ + own)] = span.start;
      if (record_transfers && hop.consumer >= 0 && hop.consumer != stage.device) {
        timeline.transfers.push_back(
            {forward ? ActionKind::SendActivation : ActionKind::SendGradient,
             action.stage, action.stage + (forward ? 1 : -1), action.micro_batch,
             span});
      }
    }
  }
  std::sort(timeline.transfers.begin(), timeline.transfers.end(),
            [](const Transfer& a, const Transfer& b) {
              const auto key = [](const Transfer& t) {
                return std::tuple(t.span.start, t.from_stage, t.to_stage,
                                  t.micro_batch);
              };
              return key(a) < key(b);
            });
}

void Simulation::fill_communication(Timeline& timeline) {
  for (std::size_t d = 0; d < timeline.spans.size(); ++d) {
    for (std::size_t i = 0; i < timeline.spans[d].size(); ++i) {
      const Action& action = schedule_.rows[d][i].action;
      if (is_communication(action.kind)) timeline.spans[d][i] = transfer(action);
    }
  }
}

/// When the message that a send or receive names was on its way.
Span Simulation::transfer(const Action& action) {
  std::int32_t stage = action.stage;
  if (action.kind == ActionKind::ReceiveActivation) --stage;
  if (action.kind == ActionKind::ReceiveGradient) ++stage;
  const bool of_gradient = action.kind == ActionKind::SendGradient ||
                           action.kind == ActionKind::ReceiveGradient;
  if (stage < 0 || stage >= schedule_.stages()) return {};
  if (of_gradient && !schedule_.training) return {};
  const std::int64_t sent =
      cell(stage, action.micro_batch) + (of_gradient ? cells_ : 0);
  return {departure_[static_cast<std::size_t>(sent)],
          arrival_[static_cast<std::size_t>(sent)]};
}

}  // namespace

Expected<Timeline> simulate(const Schedule& schedule, const Costs& costs,
                            SimulateOptions options) {
  if (auto fault = fault_of(costs, schedule.stages())) {
    return tl::unexpected<Error>(*std::move(fault));
  }
  Simulation simulation(schedule, costs);
  if (!simulation.prepare() || !simulation.run()) {
    const std::vector<Fault> faults = verify(schedule);
    return refuse(faults.empty() ? "some actions of this schedule can never start"
                                 : faults.front().reason,
                  "correct the schedule; `verify` lists every fault");
  }
  return std::move(simulation).timeline(options.record_transfers);
}

}  // namespace pipeline
