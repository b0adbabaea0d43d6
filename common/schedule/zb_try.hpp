/// \file
/// One try of the automatic zero-bubble search: a greedy run through time under given
/// rules. Private to the schedule part.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "schedule/costs.hpp"

namespace pipeline {

/// A pipeline with a stage on each device, as the search sees it; all lists hold one
/// entry a device.
struct ZeroBubbleProblem {
  std::int32_t devices = 1;
  std::int32_t micro_batches = 1;
  std::vector<StageCosts> costs;
  std::vector<double> onward;  ///< transfer from device d to d+1
  std::vector<double> back;    ///< and of the gradient from device d to d-1
  std::vector<double> limit;   ///< most activations held
  double freed_by_input_gradient = 0;

  /// A device's work in a step: no span is shorter.
  double busy(std::int32_t device) const {
    const StageCosts& c = costs[static_cast<std::size_t>(device)];
    return micro_batches * (c.forward + c.input_gradient + c.weight_gradient);
  }
};

/// What a device goes by when it is free and nothing has to be done at once.
struct ZeroBubbleRules {
  /// It holds a forward back for a gradient that is on its way, as long as it has not
  /// been idle for more than this in all.
  double patience_for_gradient = 0;
  /// It starts a weight gradient in a gap of at least this share of its length…
  double fill = 0;
  double fill_at_end = 0;  ///< (of this, once it has run its last forward)
  /// …and in any gap, if waiting would make it idle for more than this in all.
  double patience_in_gaps = 0;
};

/// The smaller, the better.
struct ZeroBubbleOutcome {
  double longest_span = std::numeric_limits<double>::infinity();
  double makespan = std::numeric_limits<double>::infinity();

  bool operator<(const ZeroBubbleOutcome& other) const {
    return longest_span < other.longest_span ||
           (longest_span == other.longest_span && makespan < other.makespan);
  }
};

/// Kinds of actions in the order of a row. Each kind runs in micro-batch order, so that
/// nothing more is needed.
enum class ZeroBubbleStep : std::uint8_t { Forward, InputGradient, WeightGradient };

/// The rows of all devices, 3 * micro_batches steps each, one device after another.
using ZeroBubbleOrder = std::vector<ZeroBubbleStep>;

/// Runs tries on one problem, so that what they need is allocated once.
class ZeroBubbleTrial {
 public:
  explicit ZeroBubbleTrial(const ZeroBubbleProblem& problem);

  /// Takes O(log devices) an action. Given up, and infinitely long, as soon as a device
  /// has a longer span than `longest_span`.
  ZeroBubbleOutcome run(const ZeroBubbleRules& rules, double longest_span);

  /// The times of given rows; infinite if they exceed a limit. They must not wait for
  /// each other.
  ZeroBubbleOutcome replay(const ZeroBubbleOrder& order);

  /// The rows of the last run, which must have come to its end.
  const ZeroBubbleOrder& order() const { return order_; }

 private:
  /// A device on its way through its step.
  struct Device {
    double free_at = 0;
    double held = 0;  ///< activations
    double idle = 0;  ///< since its first forward
    std::int32_t forwards = 0;
    std::int32_t input_gradients = 0;
    std::int32_t weight_gradients = 0;

    std::int32_t steps() const { return forwards + input_gradients + weight_gradients; }
  };

  /// The devices by the time at which each has to decide next: a tournament, whose
  /// winner is the earliest, and of several the first.
  class Agenda {
   public:
    explicit Agenda(std::int32_t devices);
    void clear();
    void set(std::int32_t device, double time);
    double time(std::int32_t device) const {
      return times_[static_cast<std::size_t>(device)];
    }
    std::int32_t earliest() const { return winners_[1]; }

   private:
    std::int32_t leaves_ = 1;
    std::vector<double> times_;
    std::vector<std::int32_t> winners_;
  };

  void restart();
  bool choose(std::int32_t device, double now, const ZeroBubbleRules& rules,
              ZeroBubbleStep* step);
  double activation_arrives(std::int32_t device) const;
  double gradient_arrives(std::int32_t device) const;
  bool has_room(std::int32_t device) const;
  void start(std::int32_t device, double now, ZeroBubbleStep step);
  void tell(std::int32_t device, double arrival);
  ZeroBubbleOutcome outcome() const;

  const ZeroBubbleProblem& problem_;
  Agenda agenda_;
  std::vector<Device> devices_;
  std::vector<double> busy_;
  /// When the k-th activation and gradient reach each device, known from when they are
  /// begun.
  std::vector<double> activations_;
  std::vector<double> gradients_;
  ZeroBubbleOrder order_;
};

}  // namespace pipeline
