// Depth first through time. At each moment at which something ends or arrives, every
// free device chooses what to start, or to wait:
//
//   t = 0   device 0: F0                 device 1: waits (it has nothing to do)
//   t = 1   device 0: F1 │ wait          device 1: F0
//   t = 2   device 0: …                  device 1: I0 │ F1 │ wait
//
// A state is all that the future depends on: how many actions of each kind each stage
// has started, how long each device is still busy, and how long each message is still
// on its way. From a state that was reached at t and failed to meet the deadline, it
// cannot be met at t or later either.
#include "schedule/exact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/bounds.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostStages = 16;
constexpr std::int32_t kMostMicroBatches = 32;
constexpr std::size_t kMostOnTheWay = 4;  ///< messages to one stage at once
constexpr std::int32_t kLongestAction = 4096;

using Time = std::int32_t;

enum Kind : std::uint8_t { kForward, kInputGradient, kWeightGradient, kKinds };

/// Messages to a stage, by the time until they arrive, the next first.
struct OnTheWay {
  std::uint8_t count = 0;
  std::array<std::uint16_t, kMostOnTheWay> left = {};

  void push(Time time) { left[count++] = static_cast<std::uint16_t>(time); }
  void pass(Time time) {
    std::uint8_t kept = 0;
    for (std::uint8_t i = 0; i < count; ++i) {
      if (left[i] > time) left[kept++] = static_cast<std::uint16_t>(left[i] - time);
    }
    count = kept;
  }
};

struct StageState {
  std::array<std::uint8_t, kKinds> started = {};
  OnTheWay activations;
  OnTheWay gradients;
};

struct DeviceState {
  std::uint16_t busy = 0;  ///< how long still
  /// What it could have started instead of waiting, a bit for each kind of each of its
  /// stages: to start that later would be waiting for nothing.
  std::uint64_t passed_over = 0;
};

struct State {
  std::array<StageState, kMostStages> stages;
  std::array<DeviceState, kMostStages> devices;
};

/// A pipeline in whole numbers.
struct Model {
  std::int32_t stages = 0;
  std::int32_t devices = 0;
  std::int32_t micro_batches = 0;
  bool split = true;
  std::array<std::int32_t, kMostStages> device_of = {};
  /// Where backwards are whole, an I takes the time of both halves and a W none.
  std::array<std::array<Time, kKinds>, kMostStages> times = {};
  /// Transfers from stage s to the next, and back.
  std::array<Time, kMostStages> hop = {};
  std::array<std::vector<std::int32_t>, kMostStages> stages_on;
  std::array<double, kMostStages> limit = {};  ///< in activations of a stage
  double kept_share = 1;                       ///< of an activation, after its I
};

struct Choice {
  std::int32_t stage;
  Kind kind;
};

// --- Deadlines

/// By when the k-th action of each stage must have ended, if all is to end in time.
struct Deadlines {
  std::array<Time, kMostStages> device = {};
  std::array<std::array<std::array<Time, kMostMicroBatches>, kKinds>, kMostStages> at =
      {};
};

/// From the end to the start: each action must leave time for the next of its kind on
/// its stage, and for what needs its result.
Deadlines deadlines(const Model& model,
                    const std::array<Time, kMostStages>& of_device) {
  Deadlines deadlines;
  deadlines.device = of_device;
  for (std::int32_t k = model.micro_batches; k-- > 0;) {
    const auto at = static_cast<std::size_t>(k);
    const auto latest = [&](std::int32_t s, Kind kind, Time before) {
      const auto stage = static_cast<std::size_t>(s);
      Time end = before;
      if (k + 1 < model.micro_batches) {
        end =
            std::min(end, deadlines.at[stage][kind][at + 1] - model.times[stage][kind]);
      }
      deadlines.at[stage][kind][at] = end;
    };
    const auto start_of = [&](std::int32_t s, Kind kind) {
      const auto stage = static_cast<std::size_t>(s);
      return deadlines.at[stage][kind][at] - model.times[stage][kind];
    };
    for (std::int32_t s = 0; s < model.stages; ++s) {
      const auto stage = static_cast<std::size_t>(s);
      latest(s, kWeightGradient,
             of_device[static_cast<std::size_t>(model.device_of[stage])]);
      Time end = start_of(s, kWeightGradient);
      if (s > 0)
        end = std::min(end, start_of(s - 1, kInputGradient) - model.hop[stage - 1]);
      latest(s, kInputGradient, end);
    }
    for (std::int32_t s = model.stages; s-- > 0;) {
      const auto stage = static_cast<std::size_t>(s);
      Time end = start_of(s, kInputGradient);
      if (s + 1 < model.stages) {
        end = std::min(end, start_of(s + 1, kForward) - model.hop[stage]);
      }
      latest(s, kForward, end);
    }
  }
  return deadlines;
}

// --- The search under one deadline

class Search {
 public:
  Search(const Model& model, const Deadlines& deadlines, std::int64_t most_states)
      : model_(model), deadlines_(deadlines), most_states_(most_states) {}

  bool run() { return at_moment(State{}, 0); }
  bool gave_up() const { return gave_up_; }
  /// By how much the deadline must be moved at least, for the search to go further.
  Time least_excess() const { return least_excess_; }
  std::int64_t states() const { return static_cast<std::int64_t>(failed_.size()); }
  /// In the order of their starts.
  const std::vector<Choice>& choices() const { return choices_; }

 private:
  bool at_moment(const State& state, Time now);
  bool decide(const State& state, Time now, std::int32_t device);
  bool advance(State state, Time now);

  bool can_start(const State& state, std::int32_t stage, Kind kind) const;
  bool has_room(const State& state, std::int32_t device) const;
  void start(State& state, const Choice& choice) const;
  bool is_in_time(const State& state, Time now, std::int32_t device);
  std::string key(const State& state) const;

  const Model& model_;
  const Deadlines& deadlines_;
  std::int64_t most_states_;
  bool gave_up_ = false;
  Time least_excess_ = std::numeric_limits<Time>::max();
  std::unordered_map<std::string, Time> failed_;
  std::vector<Choice> choices_;
};

bool Search::at_moment(const State& state, Time now) {
  for (std::int32_t d = 0; d < model_.devices; ++d) {
    if (!is_in_time(state, now, d)) return false;
  }
  const std::string name = key(state);
  const auto known = failed_.find(name);
  if (known != failed_.end() && known->second <= now) return false;
  if (states() >= most_states_) gave_up_ = true;
  if (gave_up_) return false;
  if (decide(state, now, 0)) return true;
  if (!gave_up_) failed_[name] = now;
  return false;
}

bool Search::decide(const State& state, Time now, std::int32_t device) {
  if (device == model_.devices) return advance(state, now);
  const auto d = static_cast<std::size_t>(device);
  if (state.devices[d].busy > 0) return decide(state, now, device + 1);
  std::uint64_t possible = 0;
  std::uint64_t bit = 1;
  // Gradients first, of the later stages first: others wait for them.
  for (const Kind kind : {kInputGradient, kForward, kWeightGradient}) {
    for (auto s = model_.stages_on[d].rbegin(); s != model_.stages_on[d].rend(); ++s) {
      if (can_start(state, *s, kind)) {
        possible |= bit;
        if ((state.devices[d].passed_over & bit) == 0) {
          State next = state;
          start(next, {*s, kind});
          if (is_in_time(next, now, device)) {
            choices_.push_back({*s, kind});
            if (decide(next, now, device + 1)) return true;
            choices_.pop_back();
          }
        }
      }
      bit <<= 1;
    }
  }
  State waiting = state;
  waiting.devices[d].passed_over |= possible;
  return decide(waiting, now, device + 1);
}

/// To the next moment at which something ends or arrives.
bool Search::advance(State state, Time now) {
  Time step = 0;
  const auto soonest = [&step](Time time) {
    if (time > 0 && (step == 0 || time < step)) step = time;
  };
  for (std::int32_t d = 0; d < model_.devices; ++d) {
    soonest(state.devices[static_cast<std::size_t>(d)].busy);
  }
  for (std::int32_t s = 0; s < model_.stages; ++s) {
    const StageState& stage = state.stages[static_cast<std::size_t>(s)];
    if (stage.activations.count > 0) soonest(stage.activations.left[0]);
    if (stage.gradients.count > 0) soonest(stage.gradients.left[0]);
  }
  if (step == 0) {
    // Nothing will ever happen: all is done, or all wait.
    for (std::int32_t s = 0; s < model_.stages; ++s) {
      if (state.stages[static_cast<std::size_t>(s)].started[kWeightGradient] <
          model_.micro_batches) {
        return false;
      }
    }
    return true;
  }
  for (std::int32_t d = 0; d < model_.devices; ++d) {
    std::uint16_t& busy = state.devices[static_cast<std::size_t>(d)].busy;
    busy = busy > step ? static_cast<std::uint16_t>(busy - step) : 0;
  }
  for (std::int32_t s = 0; s < model_.stages; ++s) {
    state.stages[static_cast<std::size_t>(s)].activations.pass(step);
    state.stages[static_cast<std::size_t>(s)].gradients.pass(step);
  }
  return at_moment(state, now + step);
}

bool Search::can_start(const State& state, std::int32_t stage, Kind kind) const {
  const auto s = static_cast<std::size_t>(stage);
  const StageState& own = state.stages[s];
  const std::int32_t next = own.started[kind];
  if (next == model_.micro_batches) return false;
  switch (kind) {
    case kForward:
      return (stage == 0 ||
              next < state.stages[s - 1].started[kForward] - own.activations.count) &&
             has_room(state, model_.device_of[s]);
    case kInputGradient:
      return next < own.started[kForward] &&
             (stage + 1 == model_.stages ||
              next < state.stages[s + 1].started[kInputGradient] - own.gradients.count);
    default:
      return model_.split && next < own.started[kInputGradient];
  }
}

bool Search::has_room(const State& state, std::int32_t device) const {
  const auto d = static_cast<std::size_t>(device);
  std::int32_t whole = 1;
  std::int32_t in_part = 0;
  for (const std::int32_t s : model_.stages_on[d]) {
    const auto& started = state.stages[static_cast<std::size_t>(s)].started;
    whole += started[kForward] - started[kInputGradient];
    in_part += started[kInputGradient] - started[kWeightGradient];
  }
  return whole + in_part * model_.kept_share <= model_.limit[d] + 1e-6;
}

void Search::start(State& state, const Choice& choice) const {
  const auto s = static_cast<std::size_t>(choice.stage);
  StageState& own = state.stages[s];
  DeviceState& device = state.devices[static_cast<std::size_t>(model_.device_of[s])];
  const Time time = model_.times[s][choice.kind];
  ++own.started[choice.kind];
  if (choice.kind == kForward && choice.stage + 1 < model_.stages) {
    state.stages[s + 1].activations.push(time + model_.hop[s]);
  }
  if (choice.kind == kInputGradient) {
    if (!model_.split) ++own.started[kWeightGradient];
    if (choice.stage > 0) state.stages[s - 1].gradients.push(time + model_.hop[s - 1]);
  }
  device.busy = static_cast<std::uint16_t>(time);
  device.passed_over = 0;
}

/// Whether the device, as far as it alone is concerned, can still end in time, and its
/// next action of each kind.
bool Search::is_in_time(const State& state, Time now, std::int32_t device) {
  const auto d = static_cast<std::size_t>(device);
  const Time free_at = now + state.devices[d].busy;
  Time work = 0;
  Time excess = 0;
  for (const std::int32_t stage : model_.stages_on[d]) {
    const auto s = static_cast<std::size_t>(stage);
    for (const Kind kind : {kForward, kInputGradient, kWeightGradient}) {
      const std::int32_t next = state.stages[s].started[kind];
      const Time time = model_.times[s][kind];
      work += (model_.micro_batches - next) * time;
      if (next == model_.micro_batches) continue;
      excess =
          std::max(excess, free_at + time -
                               deadlines_.at[s][kind][static_cast<std::size_t>(next)]);
    }
  }
  // Once a device is done, time may go on without it.
  if (work > 0 || state.devices[d].busy > 0) {
    excess = std::max(excess, free_at + work - deadlines_.device[d]);
  }
  if (excess > 0) least_excess_ = std::min(least_excess_, excess);
  return excess <= 0;
}

std::string Search::key(const State& state) const {
  std::string name;
  name.reserve(static_cast<std::size_t>(model_.stages) * 8 +
               static_cast<std::size_t>(model_.devices) * 4);
  const auto put = [&name](std::uint64_t value, int bytes) {
    for (; bytes > 0; --bytes, value >>= 8) name += static_cast<char>(value & 255U);
  };
  for (std::int32_t s = 0; s < model_.stages; ++s) {
    const StageState& stage = state.stages[static_cast<std::size_t>(s)];
    for (const std::uint8_t count : stage.started) put(count, 1);
    for (const OnTheWay& way : {stage.activations, stage.gradients}) {
      put(way.count, 1);
      for (std::uint8_t i = 0; i < way.count; ++i) put(way.left[i], 2);
    }
  }
  for (std::int32_t d = 0; d < model_.devices; ++d) {
    const auto& device = state.devices[static_cast<std::size_t>(d)];
    put(device.busy, 2);
    put(device.passed_over,
        static_cast<int>(3 * model_.stages_on[static_cast<std::size_t>(d)].size() + 7) /
            8);
  }
  return name;
}

// --- From the request and to the schedule

std::optional<Error> refuse_size(const Placement& placement,
                                 std::int32_t micro_batches) {
  const std::size_t stages = placement.device_of_stage.size();
  if (placement.copies() != 1) {
    return Error{"the exact search knows one copy of each stage, not two",
                 "give a placement without a second copy"};
  }
  const auto lies_there = [&](std::int32_t device) {
    return device >= 0 && device < placement.devices;
  };
  if (stages == 0 || !std::all_of(placement.device_of_stage.begin(),
                                  placement.device_of_stage.end(), lies_there)) {
    return Error{
        "a stage lies on a device that is not there",
        "give each stage a device from 0 to " + std::to_string(placement.devices - 1)};
  }
  if (stages > kMostStages || placement.devices > static_cast<std::int32_t>(stages)) {
    return Error{"the exact search takes up to " + std::to_string(kMostStages) +
                     " stages, on no more devices than stages",
                 "ask for a smaller pipeline, or search with zb-auto"};
  }
  if (auto error = refuse_count("micro-batches", micro_batches, kMostMicroBatches)) {
    return error;
  }
  return std::nullopt;
}

std::optional<Error> refuse_times(const Model& model) {
  for (std::int32_t s = 0; s < model.stages; ++s) {
    const auto stage = static_cast<std::size_t>(s);
    const auto& times = model.times[stage];
    if (times[kForward] < 1 || times[kInputGradient] < 1 ||
        (model.split && times[kWeightGradient] < 1)) {
      return Error{"the exact search needs times that are whole, from 1 to " +
                       std::to_string(kLongestAction),
                   "round the costs, or scale them"};
    }
    const Time shortest =
        s + 1 < model.stages
            ? std::min(times[kForward], model.times[stage + 1][kInputGradient])
            : 0;
    if (model.hop[stage] < 0 || model.hop[stage] > 3 * shortest) {
      return Error{
          "the exact search needs transfers that take whole times, up to 3 "
          "times those of the actions before them",
          "round the costs, and give latencies without bandwidths"};
    }
  }
  return std::nullopt;
}

/// -1 where `cost` is not a whole number in bounds.
Time whole(double cost) {
  return cost >= 0 && cost <= kLongestAction && std::floor(cost) == cost
             ? static_cast<Time>(cost)
             : -1;
}

Model model_of(const Placement& placement, std::int32_t micro_batches,
               const Costs& costs, const MemoryBudget& budget, bool split) {
  Model model;
  model.stages = placement.stages();
  model.devices = placement.devices;
  model.micro_batches = micro_batches;
  model.split = split;
  model.kept_share = 1 - budget.freed_by_input_gradient;
  for (std::int32_t s = 0; s < model.stages; ++s) {
    const auto stage = static_cast<std::size_t>(s);
    const StageCosts& c = costs.of(s);
    const std::int32_t device = placement.device_of(s);
    model.device_of[stage] = device;
    model.stages_on[static_cast<std::size_t>(device)].push_back(s);
    model.times[stage] = split ? std::array{whole(c.forward), whole(c.input_gradient),
                                            whole(c.weight_gradient)}
                               : std::array{whole(c.forward), whole(c.backward()), 0};
    if (s + 1 == model.stages || placement.device_of(s + 1) == device) continue;
    const LinkCosts& link = costs.between(device, placement.device_of(s + 1));
    const bool takes_room = link.bandwidth > 0 && costs.bytes_leaving(s) > 0;
    model.hop[stage] = takes_room ? -1 : whole(link.latency);
  }
  for (std::int32_t d = 0; d < model.devices; ++d) {
    const auto device = static_cast<std::size_t>(d);
    const std::size_t limits = budget.limit.size();
    // `Memory::peak` counts over the stages that a micro-batch visits.
    model.limit[device] = limits == 0
                              ? std::numeric_limits<double>::infinity()
                              : budget.limit[limits == 1 ? 0 : device] *
                                    static_cast<double>(model.stages_on[device].size());
  }
  return model;
}

/// What each device's end is measured from.
std::array<Time, kMostStages> origins(const Model& model, ExactObjective objective) {
  std::array<Time, kMostStages> origins = {};
  if (objective == ExactObjective::Makespan) return origins;
  std::array<bool, kMostStages> met = {};
  Time now = 0;
  for (std::int32_t s = 0; s < model.stages; ++s) {
    const auto stage = static_cast<std::size_t>(s);
    const auto device = static_cast<std::size_t>(model.device_of[stage]);
    if (!met[device]) origins[device] = now;
    met[device] = true;
    now += model.times[stage][kForward] + model.hop[stage];
  }
  return origins;
}

Schedule schedule_of(const Placement& placement, const Model& model,
                     const std::vector<Choice>& choices) {
  Schedule schedule;
  schedule.name = "exact";
  schedule.placement = placement;
  schedule.micro_batches = model.micro_batches;
  schedule.rows.resize(static_cast<std::size_t>(model.devices));
  std::array<std::array<std::int32_t, kKinds>, kMostStages> next = {};
  for (const Choice& choice : choices) {
    const auto s = static_cast<std::size_t>(choice.stage);
    const ActionKind kind = choice.kind == kForward ? ActionKind::Forward
                            : choice.kind == kWeightGradient
                                ? ActionKind::WeightGradient
                            : model.split ? ActionKind::InputGradient
                                          : ActionKind::Backward;
    schedule.rows[static_cast<std::size_t>(model.device_of[s])].push_back(
        {{kind, 0, choice.stage, next[s][choice.kind]++}});
  }
  append_updates(schedule, 0, false);
  return schedule;
}

}  // namespace

Expected<ExactAnswer> exact(const Placement& placement, std::int32_t micro_batches,
                            const Costs& costs, const MemoryBudget& budget,
                            const ExactOptions& options) {
  auto error = refuse_size(placement, micro_batches);
  if (!error) error = fault_of(costs, placement.stages());
  if (!error) error = fault_of(budget, placement.devices);
  if (error) return tl::unexpected<Error>(*std::move(error));
  const Model model =
      model_of(placement, micro_batches, costs, budget, options.split_backward);
  error = refuse_times(model);
  if (error) return tl::unexpected<Error>(*std::move(error));

  const auto from = origins(model, options.objective);
  std::int64_t states = 0;
  for (Time deadline = 1;;) {
    std::array<Time, kMostStages> of_device = from;
    for (Time& time : of_device) time += deadline;
    const Deadlines all = deadlines(model, of_device);
    Search search(model, all, options.most_states - states);
    if (search.run()) {
      return ExactAnswer{schedule_of(placement, model, search.choices()),
                         static_cast<double>(deadline), states + search.states()};
    }
    if (search.gave_up()) {
      return refuse("whether a schedule takes no longer than " +
                        std::to_string(deadline) +
                        " (none is shorter) is not decided "
                        "after " +
                        std::to_string(options.most_states) + " states",
                    "ask for a smaller pipeline, or search with zb-auto");
    }
    states += search.states();
    deadline += search.least_excess();
  }
}

}  // namespace pipeline
