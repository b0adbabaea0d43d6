#include "schedule/zb_auto.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "schedule/zb_try.hpp"

namespace pipeline {
namespace {

using Step = ZeroBubbleStep;

/// How many actions all tries may place together, and how many tries there are at
/// least. At 32 x 256 that makes 11 tries; smaller pipelines have more.
constexpr std::int64_t kMostActions = 11LL * 3 * 32 * 256;
constexpr std::int64_t kFewestTries = 3;

// --- What can be had at best

/// No schedule has a shorter longest span. From its first forward on, a device has to
/// wait until a later one has run all its forwards and input gradients and the last of
/// them has come back. And if it may hold no more than k activations, it has nothing to
/// run but k forwards until the first gradient comes.
double shortest_span(const ZeroBubbleProblem& problem) {
  const double m = problem.micro_batches;
  double shortest = 0;
  // Going from the last device to the first:
  double round_trip = 0;  // from the start of a first forward to the end of its I
  double slowest = 0;     // the same of all, with the slowest device behind
  for (auto d = problem.costs.size(); d-- > 0;) {
    const StageCosts& costs = problem.costs[d];
    const bool last = d + 1 == problem.costs.size();
    const double hop = last ? 0 : problem.onward[d] + problem.back[d + 1];
    const double own = costs.forward + costs.input_gradient;
    slowest = std::max(m * own, last ? 0 : slowest + own + hop);
    round_trip += own + hop;
    const double forwards = std::min(m, std::floor(problem.limit[d] + 1e-6));
    const double idle = round_trip - costs.input_gradient - forwards * costs.forward;
    shortest =
        std::max({shortest, slowest + costs.weight_gradient,
                  problem.busy(static_cast<std::int32_t>(d)) + std::max(0.0, idle)});
  }
  return shortest;
}

// --- By hand

/// Each device warms up with `per_stage` forwards for each stage behind it and one
/// more, and keeps back `per_stage` weight gradients for each before it: ZB-H1 with 1,
/// ZB-H2 with 2, and what lies between.
ZeroBubbleOrder by_hand(const ZeroBubbleProblem& problem, double per_stage) {
  ZeroBubbleOrder order;
  const std::int32_t m = problem.micro_batches;
  order.reserve(3 * static_cast<std::size_t>(m) * problem.costs.size());
  for (std::int32_t d = 0; d < problem.devices; ++d) {
    const auto stages_behind = static_cast<double>(problem.devices - 1 - d);
    const std::int32_t warm_up = std::min(
        m, 1 + static_cast<std::int32_t>(std::floor(per_stage * stages_behind + 1e-9)));
    const std::int32_t late = std::min(
        m - warm_up, static_cast<std::int32_t>(std::ceil(per_stage * d - 1e-9)));
    order.insert(order.end(), static_cast<std::size_t>(warm_up), Step::Forward);
    for (std::int32_t k = 0; k < m; ++k) {
      order.push_back(Step::InputGradient);
      if (k >= late) order.push_back(Step::WeightGradient);
      if (k + warm_up < m) order.push_back(Step::Forward);
    }
    order.insert(order.end(), static_cast<std::size_t>(late), Step::WeightGradient);
  }
  return order;
}

// --- By search

class Search {
 public:
  explicit Search(const ZeroBubbleProblem& problem)
      : problem_(problem),
        trial_(problem),
        good_enough_(shortest_span(problem) * (1 + 1e-12)) {
    const std::int64_t actions =
        std::int64_t{3} * problem.devices * problem.micro_batches;
    tries_left_ = std::max(kFewestTries, kMostActions / actions);
    double sum = 0;
    for (const StageCosts& costs : problem.costs) sum += costs.forward;
    unit_ = sum / problem.devices;
  }

  ZeroBubbleOrder best_order() &&;

 private:
  /// Ways to go by one patience z, of which each is the best somewhere.
  static constexpr std::int32_t kPolicies = 4;
  ZeroBubbleRules rules(std::int32_t policy, double patience) const;

  bool done() const { return tries_left_ <= 0 || best_.longest_span <= good_enough_; }
  void try_by_hand(double per_stage);
  void try_rules(std::int32_t policy, double patience);
  void try_all(double patience);
  void refine(double width, int times);

  const ZeroBubbleProblem& problem_;
  ZeroBubbleTrial trial_;
  double good_enough_;
  std::int64_t tries_left_ = 0;
  double unit_ = 0;  ///< of patience: a forward
  ZeroBubbleOutcome best_;
  ZeroBubbleOrder order_;
  std::int32_t best_policy_ = 0;
  double best_patience_ = 1;
};

ZeroBubbleRules Search::rules(std::int32_t policy, double patience) const {
  const double z = patience * unit_;
  switch (policy) {
    case 0:
      return {.patience_for_gradient = z,
              .fill = 0.5,
              .fill_at_end = 1,
              .patience_in_gaps = z};
    case 1:
      return {.patience_for_gradient = z,
              .fill = 0.5,
              .fill_at_end = 1,
              .patience_in_gaps = z / 2};
    case 2:
      return {.patience_for_gradient = z,
              .fill = 0,
              .fill_at_end = 1,
              .patience_in_gaps = unit_};
    default:
      return {.patience_for_gradient = z,
              .fill = 0.75,
              .fill_at_end = 1,
              .patience_in_gaps = std::numeric_limits<double>::infinity()};
  }
}

void Search::try_by_hand(double per_stage) {
  const ZeroBubbleOrder order = by_hand(problem_, per_stage);
  const ZeroBubbleOutcome outcome = trial_.replay(order);
  if (outcome < best_) {
    best_ = outcome;
    order_ = order;
  }
}

void Search::try_rules(std::int32_t policy, double patience) {
  if (done()) return;
  --tries_left_;
  const ZeroBubbleOutcome outcome =
      trial_.run(rules(policy, patience), best_.longest_span);
  if (!(outcome < best_)) return;
  best_ = outcome;
  order_ = trial_.order();
  best_policy_ = policy;
  best_patience_ = patience;
}

void Search::try_all(double patience) {
  for (std::int32_t policy = 0; policy < kPolicies; ++policy) {
    try_rules(policy, patience);
  }
}

/// Around the best patience so far.
void Search::refine(double width, int times) {
  for (; times > 0; --times, width /= 2) {
    const double center = best_patience_;
    try_rules(best_policy_, center - width);
    try_rules(best_policy_, center + width);
  }
}

ZeroBubbleOrder Search::best_order() && {
  double least = problem_.limit[0];
  for (const double limit : problem_.limit) least = std::min(least, limit);
  // As much of ZB-H2 as fits (without a limit: all), and ZB-H1.
  const double stages_behind = std::max(1, problem_.devices - 1);
  try_by_hand(std::min(2.0, std::floor(least - 1 + 1e-6) / stages_behind));
  try_by_hand(1);
  try_all(1);
  try_all(0.5);
  refine(0.25, 3);
  for (const int parts : {4, 16, 64}) {
    const double step = 1.0 / parts;
    for (int i = 0; i <= 3 * parts && !done(); ++i) try_all(i * step);
    refine(step / 2, 3);
  }
  return std::move(order_);
}

// --- From the request and to the schedule

double transfer_time(const Costs& costs, std::int32_t from, std::int32_t to) {
  const LinkCosts& link = costs.between(from, to);
  const double bytes = costs.bytes_leaving(std::min(from, to));
  return link.latency + (link.bandwidth > 0 ? bytes / link.bandwidth : 0);
}

ZeroBubbleProblem problem_of(const Shape& shape, const Costs& costs,
                             const MemoryBudget& budget) {
  ZeroBubbleProblem problem;
  problem.devices = shape.devices;
  problem.micro_batches = shape.micro_batches;
  problem.freed_by_input_gradient = budget.freed_by_input_gradient;
  const std::size_t limits = budget.limit.size();
  for (std::int32_t d = 0; d < shape.devices; ++d) {
    problem.costs.push_back(costs.of(d));
    problem.onward.push_back(d + 1 < shape.devices ? transfer_time(costs, d, d + 1)
                                                   : 0);
    problem.back.push_back(d > 0 ? transfer_time(costs, d, d - 1) : 0);
    problem.limit.push_back(
        limits == 0 ? std::numeric_limits<double>::infinity()
                    : budget.limit[limits == 1 ? 0 : static_cast<std::size_t>(d)]);
  }
  return problem;
}

void append_step(Row& row, std::int32_t stage, std::int32_t first,
                 const ZeroBubbleStep* steps, std::int32_t micro_batches) {
  std::int32_t forwards = first;
  std::int32_t input_gradients = first;
  std::int32_t weight_gradients = first;
  for (std::int32_t i = 0; i < 3 * micro_batches; ++i) {
    switch (steps[i]) {
      case Step::Forward:
        row.push_back({{ActionKind::Forward, 0, stage, forwards++}});
        break;
      case Step::InputGradient:
        row.push_back({{ActionKind::InputGradient, 0, stage, input_gradients++}});
        break;
      case Step::WeightGradient:
        row.push_back({{ActionKind::WeightGradient, 0, stage, weight_gradients++}});
        break;
    }
  }
}

}  // namespace

Expected<Schedule> zb_auto(const Shape& shape, const Costs& costs,
                           const MemoryBudget& budget) {
  auto schedule = blank_schedule("zb-auto", shape, {.actions_per_cell = 3});
  if (!schedule) return schedule;
  auto error = fault_of(costs, shape.devices);
  if (!error) error = fault_of(budget, shape.devices);
  if (error) return tl::unexpected<Error>(*std::move(error));

  const ZeroBubbleProblem problem = problem_of(shape, costs, budget);
  const ZeroBubbleOrder order = Search(problem).best_order();
  const std::int64_t length = std::int64_t{3} * shape.micro_batches;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      append_step(schedule->rows[static_cast<std::size_t>(stage)], stage,
                  step * shape.micro_batches, order.data() + stage * length,
                  shape.micro_batches);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline
