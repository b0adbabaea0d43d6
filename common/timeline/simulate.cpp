// Event-driven: each device walks its row until an input is missing; the action that
// brings the input wakes it again.
//
//   device 0   F0 F1 F2 │ B0 is missing, sleeps             wakes: B0 F3 …
//   device 1      F0 F1 │ B0 …              B0 done ──────────┘
//
// A device runs its row in order and its links carry messages in order of readiness,
// which is row order too. So no time depends on the order in which devices are woken,
// and no queue needs to be sorted by time. Where devices meet (Reduce, ReduceNorm) each
// says when it came, and the last one wakes the others.
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

/// One copy of a stage.
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
  std::int64_t waits_for = kNothing;  ///< cell of the missing input, or a meeting
  const Entry* announced = nullptr;   ///< the last cell whose meetings know of it
};

/// Devices that wait for each other: the two that hold a stage, or all.
struct Meeting {
  std::int32_t there = 0;
  double begin = 0;  ///< when the last of those came
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const Costs& costs)
      : schedule_(schedule),
        costs_(costs),
        is_sliced_(!schedule.slices.empty()),
        is_two_way_(schedule.placement.copies() > 1),
        is_weighted_(!costs.part_weights.empty()) {}

  bool prepare();
  bool run();
  Timeline timeline(bool record_transfers) &&;

 private:
  bool prepare_parts();
  void prepare_links();

  bool advance(std::int32_t device);
  bool run_cell(std::int32_t device, Walker& walker, const Entry* cell_end);

  bool fits(const Action& action, std::int32_t device) const;
  /// A part of the run is a micro-batch, or a slice of one.
  std::int64_t part_of(const Action& action) const {
    if (!is_sliced_) return action.micro_batch;
    return first_part_[static_cast<std::size_t>(action.micro_batch)] + action.slice;
  }
  std::int64_t cell(std::int32_t stage, std::int64_t part) const {
    return (part / kLine * stride_ + stage) * kLine + part % kLine;
  }
  const Stage& stage_of(const Action& action) const {
    auto index = static_cast<std::size_t>(action.stage);
    if (is_two_way_ && copy_[static_cast<std::size_t>(action.micro_batch)] != 0) {
      index += static_cast<std::size_t>(schedule_.stages());
    }
    return stages_[index];
  }
  bool has_slice(const Action& action) const {
    return action.slice >= 0 && action.slice < schedule_.slices_of(action.micro_batch);
  }
  bool is_last_slice(const Action& action) const {
    return !is_sliced_ ||
           part_of(action) + 1 ==
               first_part_[static_cast<std::size_t>(action.micro_batch) + 1];
  }
  double weight_of(const Action& action) const {
    return is_weighted_ ? weight_[static_cast<std::size_t>(part_of(action))] : 1;
  }
  double& activation(std::int64_t cell) {
    return arrival_[static_cast<std::size_t>(cell)];
  }
  double& gradient(std::int64_t cell) { return activation(cells_ + cell); }
  double cost_of(const Action& action) const;
  double cost_of_cell(const Entry* first, const Entry* last) const;
  bool inputs_of(const Action& action, Walker& walker, double* start);
  bool meets_others(const Action& action) const;
  Meeting& meeting(const Action& action);
  bool meet(Walker& walker, const Entry* cell_end, double* start);
  void announce(const Action& action, double time);
  std::int32_t expected_at(const Action& meeting) const {
    return meeting.kind == ActionKind::Reduce ? 2 : devices_of_norm_;
  }
  void deliver(const Action& action, double end);
  Span send(const Hop& hop, double ready, double weight);
  void wake(std::int32_t device, std::int64_t awaited);

  void find_departures(Timeline& timeline, bool record_transfers);
  void fill_communication(Timeline& timeline);
  Span transfer(const Action& action);

  const Schedule& schedule_;
  const Costs& costs_;
  // What a schedule does not have is not looked at.
  const bool is_sliced_;
  const bool is_two_way_;
  const bool is_weighted_;
  std::int64_t micro_batches_ = 0;
  std::int64_t parts_ = 0;
  /// Per micro-batch (and one more) the first of its parts; empty where none is sliced.
  std::vector<std::int64_t> first_part_;
  std::vector<std::uint8_t> copy_;  ///< per micro-batch; empty where there is one
  std::vector<double> weight_;      ///< per part; empty where all weigh the same
  std::int64_t stride_ = 0;         ///< lines from one line of a stage to its next
  std::int64_t cells_ = 0;
  bool has_communication_ = false;
  std::vector<Stage> stages_;  ///< of the first copy, then of the second
  std::vector<Walker> walkers_;
  /// Per step: one for each stage, and one for the norm. Made when first needed.
  std::vector<Meeting> meetings_;
  std::int32_t devices_of_norm_ = 0;
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
  const Placement& placement = schedule_.placement;
  if (std::cmp_not_equal(devices, schedule_.devices()) || schedule_.devices() < 1 ||
      schedule_.stages() < 1 || schedule_.micro_batches < 1 || schedule_.steps < 1) {
    return false;
  }
  if (placement.copies() > 1 &&
      placement.device_of_second_copy.size() != placement.device_of_stage.size()) {
    return false;
  }
  for (std::int32_t copy = 0; copy < placement.copies(); ++copy) {
    for (std::int32_t s = 0; s < placement.stages(); ++s) {
      const std::int32_t device = placement.device_of(s, copy);
      if (device < 0 || device >= schedule_.devices()) return false;
    }
  }
  if (!prepare_parts()) return false;
  stride_ = schedule_.stages() | 1;  // odd, so that lines spread over the cache
  cells_ = (parts_ + kLine - 1) / kLine * kLine * stride_;

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

bool Simulation::prepare_parts() {
  std::int64_t actions = 0;
  for (const Row& row : schedule_.rows) {
    actions += static_cast<std::int64_t>(row.size());
  }
  const std::int64_t most = actions / schedule_.stages();
  micro_batches_ = std::int64_t{schedule_.micro_batches} * schedule_.steps;
  if (micro_batches_ > most) return false;
  parts_ = micro_batches_;
  if (!schedule_.slices.empty()) {
    if (std::cmp_not_equal(schedule_.slices.size(), schedule_.micro_batches)) {
      return false;
    }
    first_part_.assign(1, 0);
    for (std::int32_t k = 0; k < micro_batches_; ++k) {
      if (schedule_.slices_of(k) < 1) return false;
      first_part_.push_back(first_part_.back() + schedule_.slices_of(k));
    }
    parts_ = first_part_.back();
  }
  if (parts_ > most) return false;
  if (schedule_.placement.copies() > 1) {
    for (std::int32_t k = 0; k < micro_batches_; ++k) {
      copy_.push_back(static_cast<std::uint8_t>(schedule_.copy_of(k)));
    }
  }
  for (std::int32_t step = 0; step < schedule_.steps; ++step) {
    weight_.insert(weight_.end(), costs_.part_weights.begin(),
                   costs_.part_weights.end());
  }
  return true;
}

void Simulation::prepare_links() {
  const Placement& placement = schedule_.placement;
  const std::int32_t stages = schedule_.stages();
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> links;
  const auto hop = [&](std::int32_t sender, std::int32_t consumer, double bytes) {
    Hop way{.consumer = consumer};
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
  stages_.reserve(static_cast<std::size_t>(stages) *
                  static_cast<std::size_t>(placement.copies()));
  for (std::int32_t copy = 0; copy < placement.copies(); ++copy) {
    for (std::int32_t s = 0; s < stages; ++s) {
      Stage& stage = stages_.emplace_back();
      stage.device = placement.device_of(s, copy);
      if (s + 1 < stages) {
        stage.onward = hop(stage.device, placement.device_of(s + 1, copy),
                           costs_.bytes_leaving(s));
      }
      if (s > 0) {
        stage.back = hop(stage.device, placement.device_of(s - 1, copy),
                         costs_.bytes_leaving(s - 1));
      }
    }
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
  bool meets = false;
  for (const Entry* entry = walker.next; entry != cell_end; ++entry) {
    if (!fits(entry->action, device)) return false;
    if (!inputs_of(entry->action, walker, &start)) return false;
    meets = meets || meets_others(entry->action);
  }
  if (meets && !meet(walker, cell_end, &start)) return false;
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
         (action.slice == 0 || has_slice(action)) &&
         stage_of(action).device == device &&
         (schedule_.training || action.kind == ActionKind::Forward ||
          is_communication(action.kind));
}

double Simulation::cost_of(const Action& action) const {
  const StageCosts& costs = costs_.of(action.stage);
  const double weight = weight_of(action);
  switch (action.kind) {
    case ActionKind::Forward:
      return costs.forward * weight;
    case ActionKind::Backward:
      return costs.backward() * weight;
    case ActionKind::InputGradient:
      return costs.input_gradient * weight;
    case ActionKind::WeightGradient:
      return costs.weight_gradient * weight;
    case ActionKind::Recompute:
      return costs.recompute * weight;
    case ActionKind::Reduce:
      return costs.reduce;
    case ActionKind::Update:
      return costs.update;
    default:
      return 0;
  }
}

double Simulation::cost_of_cell(const Entry* first, const Entry* last) const {
  if (last - first == 1) return cost_of(first->action);
  double overlapped = 0;
  bool forward = false;
  bool backward = false;
  double sum = 0;
  std::int32_t computations = 0;
  for (; first != last; ++first) {
    const Action& action = first->action;
    if (is_communication(action.kind)) continue;
    forward = forward || action.kind == ActionKind::Forward;
    backward = backward || action.kind == ActionKind::Backward;
    overlapped += costs_.of(action.stage).overlapped * weight_of(action);
    sum += cost_of(action);
    ++computations;
  }
  return computations == 2 && forward && backward ? overlapped / 2 : sum;
}

/// Moves `start` to the arrival of the action's input; false, and noted in the walker,
/// when that has no time yet. Inputs made by the same stage come from the same row,
/// before or never: for them only that they are there is asked. Slices go forward in
/// order and back in the reverse order.
bool Simulation::inputs_of(const Action& action, Walker& walker, double* start) {
  const std::int64_t part = part_of(action);
  const std::int64_t own = cell(action.stage, part);
  std::int64_t input = kNothing;
  switch (action.kind) {
    case ActionKind::Forward:
      if (action.slice > 0 && activation(cell(action.stage, part - 1)) == kNotYet) {
        return false;
      }
      if (action.stage == 0) return true;
      input = cell(action.stage - 1, part);
      break;
    case ActionKind::Backward:
    case ActionKind::InputGradient:
      if (!is_last_slice(action) && gradient(cell(action.stage, part + 1)) == kNotYet) {
        return false;
      }
      // The gradient of the next stage exists only if all forwards of the micro-batch
      // do, this stage's too.
      if (action.stage + 1 == schedule_.stages()) return activation(own) != kNotYet;
      input = cells_ + cell(action.stage + 1, part);
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

/// Two copies on one device have nobody to wait for.
bool Simulation::meets_others(const Action& action) const {
  if (action.kind == ActionKind::ReduceNorm) return true;
  return action.kind == ActionKind::Reduce && is_two_way_ &&
         schedule_.placement.device_of(action.stage, 0) !=
             schedule_.placement.device_of(action.stage, 1);
}

Meeting& Simulation::meeting(const Action& action) {
  const std::int32_t step = action.micro_batch / schedule_.micro_batches;
  const std::int32_t place =
      action.kind == ActionKind::Reduce ? action.stage : schedule_.stages();
  return meetings_[static_cast<std::size_t>(step) *
                       (static_cast<std::size_t>(schedule_.stages()) + 1) +
                   static_cast<std::size_t>(place)];
}

/// Moves `start` to when the last device has come to each meeting of a cell that could
/// otherwise start now; false when one is still to come.
bool Simulation::meet(Walker& walker, const Entry* cell_end, double* start) {
  if (meetings_.empty()) {
    meetings_.resize(static_cast<std::size_t>(schedule_.steps) *
                     (static_cast<std::size_t>(schedule_.stages()) + 1));
    std::vector<std::int32_t> holders = schedule_.placement.device_of_stage;
    std::sort(holders.begin(), holders.end());
    devices_of_norm_ = static_cast<std::int32_t>(
        std::unique(holders.begin(), holders.end()) - holders.begin());
  }
  const double came = *start;
  const bool is_new = walker.announced != walker.next;
  walker.announced = walker.next;
  for (const Entry* entry = walker.next; entry != cell_end; ++entry) {
    if (is_new && meets_others(entry->action)) announce(entry->action, came);
  }
  for (const Entry* entry = walker.next; entry != cell_end; ++entry) {
    if (!meets_others(entry->action)) continue;
    const Meeting& here = meeting(entry->action);
    if (here.there != expected_at(entry->action)) {
      walker.waits_for = 2 * cells_ + (&here - meetings_.data());
      return false;
    }
    *start = std::max(*start, here.begin);
  }
  return true;
}

void Simulation::announce(const Action& action, double time) {
  Meeting& here = meeting(action);
  here.begin = std::max(here.begin, time);
  if (++here.there != expected_at(action)) return;
  const std::int64_t awaited = 2 * cells_ + (&here - meetings_.data());
  if (action.kind == ActionKind::Reduce) {
    wake(schedule_.placement.device_of(action.stage, 0), awaited);
    wake(schedule_.placement.device_of(action.stage, 1), awaited);
    return;
  }
  for (std::int32_t d = 0; d < schedule_.devices(); ++d) wake(d, awaited);
}

void Simulation::deliver(const Action& action, double end) {
  if (action.kind == ActionKind::Forward) {
    const Hop& onward = stage_of(action).onward;
    const std::int64_t own = cell(action.stage, part_of(action));
    activation(own) = send(onward, end, weight_of(action)).end;
    if (onward.consumer >= 0) wake(onward.consumer, own);
  } else if (action.kind == ActionKind::Backward ||
             action.kind == ActionKind::InputGradient) {
    const Hop& back = stage_of(action).back;
    const std::int64_t own = cell(action.stage, part_of(action));
    gradient(own) = send(back, end, weight_of(action)).end;
    if (back.consumer >= 0) wake(back.consumer, cells_ + own);
  } else if (is_communication(action.kind)) {
    has_communication_ = true;
  }
}

Span Simulation::send(const Hop& hop, double ready, double weight) {
  if (hop.link < 0) return {ready, ready + hop.latency};
  double& free_at = link_free_at_[static_cast<std::size_t>(hop.link)];
  const double departure = std::max(ready, free_at);
  free_at = departure + hop.occupancy * weight;
  return {departure, free_at + hop.latency};
}

void Simulation::wake(std::int32_t device, std::int64_t awaited) {
  Walker& walker = walkers_[static_cast<std::size_t>(device)];
  if (walker.waits_for != awaited) return;
  walker.waits_for = kNothing;
  awake_.push_back(device);
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
      const Stage& stage = stage_of(action);
      const Hop& hop = forward ? stage.onward : stage.back;
      const std::int64_t own = cell(action.stage, part_of(action));
      const Span span = send(hop, timeline.spans[d][i].end, weight_of(action));
      departure_[static_cast<std::size_t>(forward ? own : cells_ + own)] = span.start;
      if (record_transfers && hop.consumer >= 0 && hop.consumer != stage.device) {
        timeline.transfers.push_back(
            {forward ? ActionKind::SendActivation : ActionKind::SendGradient,
             action.stage, action.stage + (forward ? 1 : -1), action.micro_batch, span,
             action.slice});
      }
    }
  }
  std::sort(timeline.transfers.begin(), timeline.transfers.end(),
            [](const Transfer& a, const Transfer& b) {
              const auto key = [](const Transfer& t) {
                return std::tuple(t.span.start, t.from_stage, t.to_stage, t.micro_batch,
                                  t.slice);
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
  const std::int64_t sent = cell(stage, part_of(action)) + (of_gradient ? cells_ : 0);
  return {departure_[static_cast<std::size_t>(sent)],
          arrival_[static_cast<std::size_t>(sent)]};
}

}  // namespace

Expected<Timeline> simulate(const Schedule& schedule, const Costs& costs,
                            SimulateOptions options) {
  if (auto fault = fault_of(costs, schedule)) {
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
