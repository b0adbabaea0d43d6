#include "schedule/zb_try.hpp"

#include <algorithm>

namespace pipeline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// So that shares of an activation, which are added and taken away many times, fill a
/// limit exactly.
constexpr double kSlack = 1e-6;

}  // namespace

// --- The agenda

ZeroBubbleTrial::Agenda::Agenda(std::int32_t devices) {
  while (leaves_ < devices) leaves_ *= 2;
  const auto nodes = 2 * static_cast<std::size_t>(leaves_);
  times_.resize(nodes);
  winners_.resize(nodes);
  clear();
}

void ZeroBubbleTrial::Agenda::clear() {
  std::fill(times_.begin(), times_.end(), kNever);
  for (std::int32_t i = 0; i < leaves_; ++i) {
    winners_[static_cast<std::size_t>(leaves_) + static_cast<std::size_t>(i)] = i;
  }
  for (auto i = static_cast<std::size_t>(leaves_); i-- > 1;) {
    winners_[i] = winners_[2 * i];
  }
}

void ZeroBubbleTrial::Agenda::set(std::int32_t device, double at) {
  times_[static_cast<std::size_t>(device)] = at;
  for (auto i = static_cast<std::size_t>(leaves_ + device) / 2; i > 0; i /= 2) {
    const std::int32_t a = winners_[2 * i];
    const std::int32_t b = winners_[2 * i + 1];
    winners_[i] = time(b) < time(a) ? b : a;
  }
}

// --- A try

ZeroBubbleTrial::ZeroBubbleTrial(const ZeroBubbleProblem& problem)
    : problem_(problem), agenda_(problem.devices) {
  const auto p = static_cast<std::size_t>(problem.devices);
  const std::size_t cells = p * static_cast<std::size_t>(problem.micro_batches);
  devices_.resize(p);
  busy_.reserve(p);
  for (std::int32_t d = 0; d < problem.devices; ++d) busy_.push_back(problem.busy(d));
  activations_.assign(cells, 0);
  gradients_.assign(cells, 0);
  order_.resize(3 * cells);
}

void ZeroBubbleTrial::restart() {
  std::fill(devices_.begin(), devices_.end(), Device{});
  agenda_.clear();
}

// Devices decide in order of time. What one starts is known to its neighbours at once,
// and so is when it will arrive: each knows its next arrivals as far ahead as an action
// takes.
ZeroBubbleOutcome ZeroBubbleTrial::run(const ZeroBubbleRules& rules,
                                       double longest_span) {
  restart();
  agenda_.set(0, 0);
  while (true) {
    const std::int32_t d = agenda_.earliest();
    const double now = agenda_.time(d);
    if (now == kNever) return outcome();
    ZeroBubbleStep step;
    if (!choose(d, now, rules, &step)) continue;
    start(d, now, step);
    const auto i = static_cast<std::size_t>(d);
    if (busy_[i] + devices_[i].idle > longest_span) return {};
  }
}

/// A gradient that is there goes first: others wait for it. Then a forward, unless that
/// delays a gradient. What nobody waits for, a weight gradient, fills gaps. False where
/// the device waits.
bool ZeroBubbleTrial::choose(std::int32_t device, double now,
                             const ZeroBubbleRules& rules, ZeroBubbleStep* step) {
  const Device& state = devices_[static_cast<std::size_t>(device)];
  const StageCosts& costs = problem_.costs[static_cast<std::size_t>(device)];
  const double gradient = gradient_arrives(device);
  if (gradient <= now) {
    *step = ZeroBubbleStep::InputGradient;
    return true;
  }
  const double activation = has_room(device) ? activation_arrives(device) : kNever;
  double arrival = std::min(gradient, activation);
  if (activation <= now) {
    const bool delays = gradient < now + costs.forward;
    if (!delays || state.idle + (gradient - now) > rules.patience_for_gradient) {
      *step = ZeroBubbleStep::Forward;
      return true;
    }
    arrival = gradient;
  }
  if (state.weight_gradients < state.input_gradients) {
    const double gap = arrival - now;
    const bool at_end = state.forwards == problem_.micro_batches;
    const double least =
        (at_end ? rules.fill_at_end : rules.fill) * costs.weight_gradient;
    if (gap >= least || state.idle + gap > rules.patience_in_gaps) {
      *step = ZeroBubbleStep::WeightGradient;
      return true;
    }
  }
  agenda_.set(device, arrival);
  return false;
}

bool ZeroBubbleTrial::has_room(std::int32_t device) const {
  const auto d = static_cast<std::size_t>(device);
  return devices_[d].held + 1 <= problem_.limit[d] + kSlack;
}

/// When the next activation is or was there for the device; never, if not yet known.
double ZeroBubbleTrial::activation_arrives(std::int32_t device) const {
  const auto d = static_cast<std::size_t>(device);
  const std::int32_t k = devices_[d].forwards;
  if (k == problem_.micro_batches) return kNever;
  if (device == 0) return 0;
  if (k >= devices_[d - 1].forwards) return kNever;
  return activations_[d * static_cast<std::size_t>(problem_.micro_batches) +
                      static_cast<std::size_t>(k)];
}

double ZeroBubbleTrial::gradient_arrives(std::int32_t device) const {
  const auto d = static_cast<std::size_t>(device);
  const std::int32_t k = devices_[d].input_gradients;
  if (k >= devices_[d].forwards) return kNever;
  if (device + 1 == problem_.devices) return devices_[d].free_at;
  if (k >= devices_[d + 1].input_gradients) return kNever;
  return gradients_[d * static_cast<std::size_t>(problem_.micro_batches) +
                    static_cast<std::size_t>(k)];
}

void ZeroBubbleTrial::start(std::int32_t device, double now, ZeroBubbleStep step) {
  const auto d = static_cast<std::size_t>(device);
  const auto m = static_cast<std::size_t>(problem_.micro_batches);
  const StageCosts& costs = problem_.costs[d];
  Device& state = devices_[d];
  order_[3 * m * d + static_cast<std::size_t>(state.steps())] = step;
  if (state.forwards > 0) state.idle += now - state.free_at;
  switch (step) {
    case ZeroBubbleStep::Forward: {
      state.free_at = now + costs.forward;
      state.held += 1;
      const auto k = static_cast<std::size_t>(state.forwards++);
      if (device + 1 == problem_.devices) break;
      activations_[m * (d + 1) + k] = state.free_at + problem_.onward[d];
      if (devices_[d + 1].forwards == state.forwards - 1) {
        tell(device + 1, activations_[m * (d + 1) + k]);
      }
      break;
    }
    case ZeroBubbleStep::InputGradient: {
      state.free_at = now + costs.input_gradient;
      state.held -= problem_.freed_by_input_gradient;
      const auto k = static_cast<std::size_t>(state.input_gradients++);
      if (device == 0) break;
      gradients_[m * (d - 1) + k] = state.free_at + problem_.back[d];
      if (devices_[d - 1].input_gradients == state.input_gradients - 1) {
        tell(device - 1, gradients_[m * (d - 1) + k]);
      }
      break;
    }
    case ZeroBubbleStep::WeightGradient:
      state.free_at = now + costs.weight_gradient;
      state.held -= 1 - problem_.freed_by_input_gradient;
      ++state.weight_gradients;
      break;
  }
  agenda_.set(device, state.weight_gradients == problem_.micro_batches ? kNever
                                                                       : state.free_at);
}

/// Something will be there for the device that it has not reckoned with.
void ZeroBubbleTrial::tell(std::int32_t device, double arrival) {
  const double at =
      std::max(arrival, devices_[static_cast<std::size_t>(device)].free_at);
  if (at < agenda_.time(device)) agenda_.set(device, at);
}

ZeroBubbleOutcome ZeroBubbleTrial::outcome() const {
  ZeroBubbleOutcome outcome{0, 0};
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (devices_[d].weight_gradients < problem_.micro_batches) return {};
    outcome.longest_span = std::max(outcome.longest_span, busy_[d] + devices_[d].idle);
    outcome.makespan = std::max(outcome.makespan, devices_[d].free_at);
  }
  return outcome;
}

/// Devices take turns, each as far as it can go.
ZeroBubbleOutcome ZeroBubbleTrial::replay(const ZeroBubbleOrder& order) {
  restart();
  const std::int32_t length = 3 * problem_.micro_batches;
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::int32_t d = 0; d < problem_.devices; ++d) {
      Device& state = devices_[static_cast<std::size_t>(d)];
      while (state.steps() < length) {
        const ZeroBubbleStep step =
            order[static_cast<std::size_t>(d) * static_cast<std::size_t>(length) +
                  static_cast<std::size_t>(state.steps())];
        if (step == ZeroBubbleStep::Forward && !has_room(d)) return {};
        const double input = step == ZeroBubbleStep::Forward ? activation_arrives(d)
                             : step == ZeroBubbleStep::InputGradient
                                 ? gradient_arrives(d)
                                 : 0;
        if (input == kNever) break;
        start(d, std::max(state.free_at, input), step);
        moved = true;
      }
    }
  }
  return outcome();
}

}  // namespace pipeline
