#include "timeline/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/recompute.hpp"
#include "schedule/verify.hpp"
#include "timeline/metrics.hpp"

namespace pipeline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Costs costs_of(double forward, double backward, double latency = 0) {
  Costs costs;
  costs.stages = {{.forward = forward,
                   .input_gradient = backward / 2,
                   .weight_gradient = backward / 2,
                   .recompute = forward,
                   .overlapped = forward + backward}};
  costs.within_node.latency = latency;
  return costs;
}

Schedule make(const char* name, std::int32_t devices, std::int32_t micro_batches,
              std::int32_t steps = 1) {
  const Shape shape{.devices = devices, .micro_batches = micro_batches, .steps = steps};
  return *generate(name, {shape});
}

double makespan(const Schedule& schedule, const Costs& costs) {
  const Expected<Timeline> timeline = simulate(schedule, costs);
  return timeline ? measure(schedule, *timeline).makespan : -1;
}

std::int32_t largest_size() { return in_full_tier() ? 24 : 12; }

// --- A second simulator, slow and of another make: it knows nothing of events. All
// times start at 0 and are pushed up until no constraint pushes any more (the least
// fixed point); messages are looked up by name.

class Reference {
 public:
  Reference(const Schedule& schedule, const Costs& costs)
      : schedule_(schedule), costs_(costs) {
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
        nodes_.push_back({.device = static_cast<std::int32_t>(d),
                          .action = schedule.rows[d][i].action});
      }
    }
    find_inputs();
    find_messages();
    find_meetings();
  }

  std::vector<std::vector<Span>> spans() {
    std::size_t rounds = 2 + 4 * nodes_.size();
    while (relax() && rounds > 0) --rounds;
    EXPECT_GT(rounds, 0U) << "the reference found no fixed point";
    std::vector<std::vector<Span>> spans;
    for (const Row& row : schedule_.rows) spans.emplace_back(row.size());
    std::size_t next = 0;
    for (auto& of_device : spans) {
      for (Span& span : of_device) span = nodes_[next++].span;
    }
    return spans;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// An entry of a row.
  struct Node {
    std::int32_t device = 0;
    Action action;
    std::size_t input = kNone;         ///< the node whose message it waits for
    std::vector<std::size_t> meets{};  ///< nodes of other devices
    double arrival = 0;                ///< of what it sends
    double came = 0;                   ///< when it could have run without the others
    Span span{};
  };
  struct Message {
    std::size_t node = 0;
    double occupancy = 0;
    double latency = 0;
  };

  // Gradient or not, stage, micro-batch, slice.
  using Key = std::tuple<bool, std::int32_t, std::int32_t, std::int32_t>;

  static bool makes_gradient(const Action& action) {
    return action.kind == ActionKind::Backward ||
           action.kind == ActionKind::InputGradient;
  }
  static bool sends(const Action& action) {
    return action.kind == ActionKind::Forward || makes_gradient(action);
  }
  std::int32_t step_of(const Action& action) const {
    return action.micro_batch / schedule_.micro_batches;
  }

  double weight(const Action& action) const {
    if (costs_.part_weights.empty()) return 1;
    std::size_t part = static_cast<std::size_t>(action.slice);
    for (std::int32_t k = step_of(action) * schedule_.micro_batches;
         k < action.micro_batch; ++k) {
      part += static_cast<std::size_t>(schedule_.slices_of(k));
    }
    return costs_.part_weights[part];
  }

  double duration(const Action& action) const {
    const StageCosts& costs = costs_.of(action.stage);
    if (action.kind == ActionKind::Update) return costs.update;
    if (action.kind == ActionKind::Reduce) return costs.reduce;
    double cost = 0;
    if (action.kind == ActionKind::Forward) cost = costs.forward;
    if (action.kind == ActionKind::Backward) cost = costs.backward();
    if (action.kind == ActionKind::InputGradient) cost = costs.input_gradient;
    if (action.kind == ActionKind::WeightGradient) cost = costs.weight_gradient;
    if (action.kind == ActionKind::Recompute) cost = costs.recompute;
    return cost * weight(action);
  }

  double duration(std::size_t first, std::size_t last) const {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += duration(nodes_[i].action);
    if (last - first != 2) return sum;
    const Action& a = nodes_[first].action;
    const Action& b = nodes_[first + 1].action;
    const bool pair =
        (a.kind == ActionKind::Forward && b.kind == ActionKind::Backward) ||
        (b.kind == ActionKind::Forward && a.kind == ActionKind::Backward);
    if (!pair) return sum;
    return (costs_.of(a.stage).overlapped * weight(a) +
            costs_.of(b.stage).overlapped * weight(b)) /
           2;
  }

  void find_inputs() {
    std::map<Key, std::size_t> made;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Action& action = nodes_[i].action;
      if (!sends(action)) continue;
      made[{makes_gradient(action), action.stage, action.micro_batch, action.slice}] =
          i;
    }
    for (Node& node : nodes_) {
      const Action& action = node.action;
      if (!sends(action)) continue;
      const bool gradient = makes_gradient(action);
      const auto found = made.find({gradient, action.stage + (gradient ? 1 : -1),
                                    action.micro_batch, action.slice});
      if (found != made.end()) node.input = found->second;
    }
  }

  void find_messages() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Action& action = nodes_[i].action;
      if (!sends(action)) continue;
      const std::int32_t to = action.stage + (makes_gradient(action) ? -1 : 1);
      if (to < 0 || to >= schedule_.stages()) continue;
      const std::int32_t from = nodes_[i].device;
      const std::int32_t there = schedule_.device_of(to, action.micro_batch);
      if (there == from) continue;
      const std::int32_t node = costs_.devices_per_node;
      const bool near = node == 0 || from / node == there / node;
      const LinkCosts& link = near ? costs_.within_node : costs_.between_nodes;
      const double bytes = costs_.bytes_leaving(std::min(action.stage, to));
      queues_[{from, there}].push_back(
          {i, link.bandwidth > 0 ? bytes / link.bandwidth * weight(action) : 0,
           link.latency});
    }
  }

  void find_meetings() {
    for (Node& a : nodes_) {
      const bool norm = a.action.kind == ActionKind::ReduceNorm;
      if (!norm && a.action.kind != ActionKind::Reduce) continue;
      for (const Node& b : nodes_) {
        const bool same_stage = norm || a.action.stage == b.action.stage;
        if (b.device == a.device || b.action.kind != a.action.kind || !same_stage) {
          continue;
        }
        if (step_of(a.action) != step_of(b.action)) continue;
        a.meets.push_back(static_cast<std::size_t>(&b - nodes_.data()));
      }
    }
  }

  /// When everything that was sent arrives, given when it was made.
  void deliver() {
    for (Node& node : nodes_) node.arrival = node.span.end;
    for (auto& [ends, queue] : queues_) {
      std::sort(queue.begin(), queue.end(), [this](const Message& a, const Message& b) {
        return std::pair(nodes_[a.node].span.end, a.node) <
               std::pair(nodes_[b.node].span.end, b.node);
      });
      double free_at = 0;
      for (const Message& message : queue) {
        Node& node = nodes_[message.node];
        const double departure =
            message.occupancy > 0 ? std::max(free_at, node.span.end) : node.span.end;
        if (message.occupancy > 0) free_at = departure + message.occupancy;
        node.arrival = departure + message.occupancy + message.latency;
      }
    }
  }

  bool relax() {
    deliver();
    bool changed = false;
    std::size_t first = 0;
    for (const Row& row : schedule_.rows) {
      const std::size_t begin = first;
      double free_at = 0;
      while (first < begin + row.size()) {
        std::size_t last = first + 1;
        while (row[last - 1 - begin].with_next) ++last;
        double start = free_at;
        for (std::size_t i = first; i < last; ++i) {
          if (nodes_[i].input == kNone) continue;
          start = std::max(start, nodes_[nodes_[i].input].arrival);
        }
        const double came = start;
        for (std::size_t i = first; i < last; ++i) {
          for (const std::size_t other : nodes_[i].meets) {
            start = std::max(start, nodes_[other].came);
          }
        }
        free_at = start + duration(first, last);
        for (std::size_t i = first; i < last; ++i) {
          Node& node = nodes_[i];
          changed = changed || node.came != came || node.span.start != start ||
                    node.span.end != free_at;
          node.came = came;
          node.span = {start, free_at};
        }
        first = last;
      }
    }
    return changed;
  }

  const Schedule& schedule_;
  const Costs& costs_;
  std::vector<Node> nodes_;  ///< row by row
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Message>> queues_;
};

void expect_same(const Schedule& schedule, const std::vector<std::vector<Span>>& came,
                 const std::vector<std::vector<Span>>& expected) {
  ASSERT_EQ(came.size(), expected.size());
  for (std::size_t d = 0; d < came.size(); ++d) {
    ASSERT_EQ(came[d].size(), expected[d].size());
    for (std::size_t i = 0; i < came[d].size(); ++i) {
      ASSERT_EQ(came[d][i].start, expected[d][i].start)
          << schedule.name << ", device " << d << ", entry " << i;
      ASSERT_EQ(came[d][i].end, expected[d][i].end)
          << schedule.name << ", device " << d << ", entry " << i;
    }
  }
}

// --- Rows that no generator makes yet.

Schedule recomputed(const Schedule& schedule) { return *with_recompute(schedule); }

Schedule split_backwards(Schedule schedule) {
  for (Row& row : schedule.rows) {
    Row fuller;
    for (Entry entry : row) {
      if (entry.action.kind == ActionKind::Backward) {
        entry.action.kind = ActionKind::InputGradient;
        fuller.push_back(entry);
        entry.action.kind = ActionKind::WeightGradient;
      }
      fuller.push_back(entry);
    }
    row = fuller;
  }
  return schedule;
}

/// One forward runs together with one backward, as in DualPipe: with two forwards more
/// of warm-up on each earlier device than on the next, so that neither waits for
/// itself.
Schedule with_overlap(std::int32_t p, std::int32_t m) {
  Schedule schedule = make("1f1b", p, m);
  schedule.name = "overlapped pairs";
  for (std::int32_t d = 0; d < p; ++d) {
    Row row;
    const std::int32_t ahead = std::min(2 * (p - 1 - d) + 1, m);
    for (std::int32_t k = 0; k < m + ahead; ++k) {
      const bool forward = k < m;
      const bool backward = k >= ahead;
      if (forward) {
        row.push_back({{ActionKind::Forward, 0, d, k}, /*with_next=*/backward});
      }
      if (backward) row.push_back({{ActionKind::Backward, 0, d, k - ahead}});
    }
    row.push_back({{ActionKind::Update, 0, d, m - 1}});
    schedule.rows[static_cast<std::size_t>(d)] = row;
  }
  return schedule;
}

/// The same rows with neighbouring pairs of stages on one device, its rows merged as
/// they would run: backwards and forwards of the two in the order of their times.
Schedule two_stages_a_device(const Schedule& schedule) {
  const Timeline timeline = *simulate(schedule, costs_of(1, 2));
  Schedule merged = schedule;
  const std::int32_t devices = schedule.devices() / 2;
  merged.placement.devices = devices;
  merged.rows.assign(static_cast<std::size_t>(devices), {});
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    merged.placement.device_of_stage[static_cast<std::size_t>(s)] = s % devices;
  }
  std::vector<std::vector<std::tuple<double, Action>>> order(merged.rows.size());
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      order[d % merged.rows.size()].emplace_back(timeline.spans[d][i].start,
                                                 schedule.rows[d][i].action);
    }
  }
  for (std::size_t d = 0; d < order.size(); ++d) {
    std::sort(order[d].begin(), order[d].end());
    for (const auto& [start, action] : order[d]) merged.rows[d].push_back({action});
  }
  return merged;
}

// --- The closed forms of ORACLES, section 1.

TEST(ForwardOnly, TakesOneTickPerMicroBatchAndOnePerFurtherDevice) {
  EXPECT_EQ(makespan(make("forward", 3, 4), Costs{}), 6);
  for (std::int32_t p = 1; p <= largest_size(); ++p) {
    for (std::int32_t m = 1; m <= largest_size(); ++m) {
      EXPECT_EQ(makespan(make("forward", p, m), Costs{}), m + p - 1) << p << ' ' << m;
    }
  }
}

TEST(ForwardOnly, IsPacedByItsSlowestStage) {
  Costs costs;
  costs.stages.clear();
  for (const double forward : {2.0, 5.0, 1.0, 3.0}) {
    costs.stages.push_back({.forward = forward});
  }
  for (std::int32_t m = 1; m <= largest_size(); ++m) {
    EXPECT_EQ(makespan(make("forward", 4, m), costs), 11 + (m - 1) * 5) << m;
  }
}

TEST(ModelParallel, KeepsOneDeviceBusyAtATime) {
  for (std::int32_t p = 1; p <= largest_size(); ++p) {
    for (std::int32_t m = 1; m <= largest_size(); ++m) {
      EXPECT_EQ(makespan(make("model-parallel", p, m), costs_of(1, 2)), 3.0 * p * m);
    }
  }
}

TEST(GPipeAndOneFOneB, TakeTheSameTimeForEveryPAndM) {
  EXPECT_EQ(makespan(make("gpipe", 4, 8), costs_of(1, 2)), 33);
  EXPECT_EQ(makespan(make("1f1b", 4, 8), costs_of(1, 2)), 33);
  for (std::int32_t p = 1; p <= largest_size(); ++p) {
    for (std::int32_t m = 1; m <= largest_size(); ++m) {
      EXPECT_EQ(makespan(make("gpipe", p, m), costs_of(1, 2)), 3 * (m + p - 1));
      EXPECT_EQ(makespan(make("1f1b", p, m), costs_of(1, 2)), 3 * (m + p - 1));
      EXPECT_EQ(makespan(make("1f1b", p, m), costs_of(3, 4)), 7 * (m + p - 1));
    }
  }
}

TEST(OneFOneB, MatchesTheFirstColumnOfTheZeroBubbleTable) {
  // p, m, makespan at F = I = W = 1.
  for (const auto& [p, m, expected] : {std::tuple{4, 8, 33},
                                       {4, 12, 45},
                                       {8, 16, 69},
                                       {4, 4, 21},
                                       {4, 3, 18},
                                       {4, 1, 12}}) {
    EXPECT_EQ(makespan(make("1f1b", p, m), Costs{}), expected) << p << ' ' << m;
  }
}

struct PublishedRun {
  std::int32_t p, m;
  double forward, input_gradient, weight_gradient, hop;
  double span_bubble;
};

// Zero-bubble paper (ICLR 2024), table 5, times in microseconds.
constexpr PublishedRun kTable5[] = {
    {8, 24, 18522, 18086, 9337, 601, .2431},  {8, 64, 18546, 18097, 9321, 762, .1240},
    {8, 24, 29718, 29444, 19927, 527, .2347}, {8, 64, 29935, 29621, 19388, 535, .1091},
    {16, 48, 11347, 11248, 8132, 377, .2552}, {16, 128, 11325, 11308, 8109, 378, .1251},
    {32, 96, 10419, 10207, 7715, 408, .2646}, {32, 256, 10402, 10248, 7698, 460, .1352},
};

Metrics metrics_of(const PublishedRun& run) {
  Costs costs;
  costs.stages = {{.forward = run.forward,
                   .input_gradient = run.input_gradient,
                   .weight_gradient = run.weight_gradient}};
  costs.within_node.latency = run.hop;
  const Schedule schedule = make("1f1b", run.p, run.m);
  return measure(schedule, *simulate(schedule, costs));
}

TEST(OneFOneB, MatchesThePublishedSpanBubbles) {
  for (const PublishedRun& run : kTable5) {
    EXPECT_NEAR(metrics_of(run).span_bubble, run.span_bubble, 0.00005)
        << run.p << ' ' << run.m;
  }
}

TEST(OneFOneB, MatchesTheLongestSpansToTheMicrosecond) {
  EXPECT_EQ(metrics_of(kTable5[0]).longest_span, 1456749);
  EXPECT_EQ(metrics_of(kTable5[4]).longest_span, 1980287);
  EXPECT_EQ(metrics_of(kTable5[7]).longest_span, 8391636);
  EXPECT_EQ(metrics_of(kTable5[0]).ideal, 1102680);
}

TEST(Rematerialization, HidesPartOfItsWorkInTheBubble) {
  // R = F = 1 and B = 2: a third more work, but less than a third more time.
  for (const auto& [p, m, plain, longer] :
       {std::tuple{4, 8, 33, 41}, {4, 4, 21, 25}, {2, 16, 51, 67}}) {
    const Schedule schedule = make("1f1b", p, m);
    EXPECT_EQ(makespan(schedule, costs_of(1, 2)), plain);
    EXPECT_EQ(makespan(recomputed(schedule), costs_of(1, 2)), longer);
    const Schedule fuller = recomputed(schedule);
    const Metrics metrics = measure(fuller, *simulate(fuller, costs_of(1, 2)));
    for (const double busy : metrics.busy) EXPECT_EQ(busy, 4 * m);
  }
}

TEST(Rematerialization, CostsTheFullThirdWhereItWaitsForTheGradient) {
  // A joined recompute and backward start together: R waits for the gradient.
  Schedule waiting = recomputed(make("1f1b", 4, 8));
  for (Row& row : waiting.rows) {
    for (Entry& entry : row) {
      entry.with_next = entry.action.kind == ActionKind::Recompute;
    }
  }
  EXPECT_EQ(makespan(waiting, costs_of(1, 2)), 44);
}

// --- Against the reference, and against bounds that need no simulation.

/// No device can be faster than its work, and no micro-batch than its way through the
/// stages and back with a hop between.
double lower_bound(const Schedule& schedule, const Costs& costs) {
  double round_trip = 0;
  std::vector<double> work(schedule.rows.size(), 0);
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    const StageCosts& of = costs.of(s);
    const double both = of.forward + (schedule.training ? of.backward() : 0);
    round_trip += both;
    const std::int32_t d = schedule.placement.device_of(s);
    work[static_cast<std::size_t>(d)] += schedule.total_micro_batches() * both;
    if (s == 0 || schedule.placement.device_of(s - 1) == d) continue;
    round_trip += std::min(costs.within_node.latency, costs.between_nodes.latency) *
                  (schedule.training ? 2 : 1);
  }
  return std::max(round_trip, *std::max_element(work.begin(), work.end()));
}

/// Whole numbers, so that sums are exact in whatever order they are formed.
Costs random_costs(std::mt19937& random, std::int32_t stages, std::int32_t parts = 0) {
  const auto number = [&](int least, int most) {
    return static_cast<double>(std::uniform_int_distribution(least, most)(random));
  };
  Costs costs;
  costs.stages.clear();
  costs.message_bytes.clear();
  for (std::int32_t s = 0; s < stages; ++s) {
    costs.stages.push_back({.forward = number(0, 9),
                            .input_gradient = number(0, 9),
                            .weight_gradient = number(0, 9),
                            .recompute = number(0, 9),
                            .overlapped = 2 * number(0, 9),
                            .update = number(0, 2),
                            .reduce = number(0, 3)});
    costs.message_bytes.push_back(number(0, 40));
  }
  costs.within_node = {number(0, 3), number(0, 1) * 4};
  costs.between_nodes = {number(2, 9), number(0, 1) * 2};
  costs.devices_per_node = static_cast<std::int32_t>(number(0, 3));
  for (std::int32_t part = 0; part < parts; ++part) {
    costs.part_weights.push_back(2 * number(1, 3));
  }
  return costs;
}

std::int32_t parts_of_a_step(const Schedule& schedule) {
  std::int32_t parts = 0;
  for (std::int32_t k = 0; k < schedule.micro_batches; ++k) {
    parts += schedule.slices_of(k);
  }
  return parts;
}

/// Every schedule that the registry makes of a shape.
std::vector<Schedule> schedules_of(const Shape& shape) {
  std::vector<Schedule> schedules;
  for (const Generator& generator : generators()) {
    Request request{.shape = shape};
    for (std::int32_t k = 0; generator.reads.slices && k < shape.micro_batches; ++k) {
      request.slices.push_back(1 + k % 3);
    }
    const Expected<Schedule> schedule = generate(generator.name, request);
    if (schedule) schedules.push_back(*schedule);  // else it forbids the shape
  }
  return schedules;
}

TEST(Simulate, AgreesWithASimulatorOfAnotherMakeOnEveryScheduleThereIs) {
  std::mt19937 random(31);
  std::int32_t two_way = 0;
  std::int32_t sliced = 0;
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t m = 1; m <= 9; ++m) {
      for (std::int32_t steps = 1; steps <= 2; ++steps) {
        const Shape shape{.devices = p,
                          .micro_batches = m,
                          .steps = steps,
                          .global_norm = (p + m + steps) % 2 == 0};
        for (const Schedule& schedule : schedules_of(shape)) {
          SCOPED_TRACE(schedule.name + " p=" + std::to_string(p) +
                       " m=" + std::to_string(m) + " steps=" + std::to_string(steps));
          const Costs costs = random_costs(random, schedule.stages(),
                                           m % 2 == 0 ? parts_of_a_step(schedule) : 0);
          const Expected<Timeline> timeline = simulate(schedule, costs);
          ASSERT_TRUE(timeline) << timeline.error().what;
          expect_same(schedule, timeline->spans, Reference(schedule, costs).spans());
          two_way += schedule.placement.copies() - 1;
          sliced += schedule.slices.empty() ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(two_way, 0);
  EXPECT_GT(sliced, 0);
}

TEST(Simulate, AgreesWithASimulatorOfAnotherMakeOnRandomCosts) {
  std::mt19937 random(20);
  const int tries = in_full_tier() ? 600 : 60;
  for (int i = 0; i < tries; ++i) {
    const auto p = std::uniform_int_distribution(1, 6)(random);
    const auto m = std::uniform_int_distribution(1, 8)(random);
    const auto steps = std::uniform_int_distribution(1, 2)(random);
    const Costs costs = random_costs(random, p);
    std::vector<Schedule> schedules;
    for (const char* name : {"forward", "model-parallel", "gpipe", "1f1b"}) {
      schedules.push_back(make(name, p, m, steps));
    }
    schedules.push_back(recomputed(schedules.back()));
    schedules.push_back(split_backwards(make("1f1b", p, m, steps)));
    schedules.push_back(with_overlap(p, m));
    if (p % 2 == 0) schedules.push_back(two_stages_a_device(make("gpipe", p, m)));
    for (const Schedule& schedule : schedules) {
      const Expected<Timeline> timeline = simulate(schedule, costs);
      ASSERT_TRUE(timeline) << schedule.name << ": " << timeline.error().what;
      expect_same(schedule, timeline->spans, Reference(schedule, costs).spans());
      if (&schedule - schedules.data() >= 4) continue;  // those do other work
      double end = 0;
      for (const auto& spans : timeline->spans) end = std::max(end, spans.back().end);
      EXPECT_GE(end, lower_bound(schedule, costs)) << schedule.name;
    }
  }
}

// --- Devices that meet, and slices.

/// One stage in two copies, a micro-batch each; device 1 starts its row with another.
Schedule two_copies() {
  Schedule schedule;
  schedule.name = "two copies";
  schedule.placement = {
      .devices = 2, .device_of_stage = {0}, .device_of_second_copy = {1}};
  schedule.micro_batches = 3;
  schedule.rows = {{{{ActionKind::Forward, 0, 0, 0}},
                    {{ActionKind::Backward, 0, 0, 0}},
                    {{ActionKind::Forward, 0, 0, 1}},
                    {{ActionKind::Backward, 0, 0, 1}},
                    {{ActionKind::Reduce, 0, 0, 1}},
                    {{ActionKind::Update, 0, 0, 1}}},
                   {{{ActionKind::Forward, 0, 0, 2}},
                    {{ActionKind::Backward, 0, 0, 2}},
                    {{ActionKind::Reduce, 0, 0, 2}},
                    {{ActionKind::Update, 0, 0, 2}}}};
  return schedule;
}

TEST(Meetings, BeginWhenTheLastDeviceIsThere) {
  Costs costs = costs_of(1, 2);
  costs.stages[0].reduce = 4;
  const Expected<Timeline> timeline = simulate(two_copies(), costs);
  ASSERT_TRUE(timeline) << timeline.error().what;
  // Device 1 is done at 3, device 0 at 6.
  for (const Span& reduce : {timeline->spans[0][4], timeline->spans[1][2]}) {
    EXPECT_EQ(reduce.start, 6);
    EXPECT_EQ(reduce.end, 10);
  }
}

TEST(Meetings, OfCopiesOnOneDeviceWaitForNobody) {
  Schedule schedule = two_copies();
  schedule.placement = {
      .devices = 1, .device_of_stage = {0}, .device_of_second_copy = {0}};
  schedule.rows[0].insert(schedule.rows[0].end(), schedule.rows[1].begin(),
                          schedule.rows[1].end());
  schedule.rows.pop_back();
  Costs costs = costs_of(1, 2);
  costs.stages[0].reduce = 4;
  EXPECT_EQ(makespan(schedule, costs), 3 * 3 + 2 * 4);
}

TEST(Meetings, AreRefusedWhereOneNeverComesOrComesTwice) {
  Schedule schedule = two_copies();
  const Entry reduce = schedule.rows[0][4];
  schedule.rows[0].insert(schedule.rows[0].begin() + 4, reduce);
  EXPECT_FALSE(simulate(schedule, Costs{}));
  schedule.rows[1].erase(schedule.rows[1].begin() + 2);
  EXPECT_FALSE(simulate(schedule, Costs{}));
  schedule.rows[0].erase(schedule.rows[0].begin() + 4);
  EXPECT_FALSE(simulate(schedule, Costs{}));
  // The two copies of two stages, in opposite orders.
  Schedule crossed = *generate(
      "dualpipe", {.shape = {.devices = 2, .micro_batches = 4, .global_norm = true}});
  ASSERT_TRUE(simulate(crossed, Costs{}));
  Row& row = crossed.rows[0];
  const auto first = std::find_if(row.begin(), row.end(), [](const Entry& entry) {
    return entry.action.kind == ActionKind::Reduce;
  });
  ASSERT_EQ((first + 1)->action.kind, ActionKind::Reduce);
  std::swap(first[0], first[1]);
  EXPECT_FALSE(simulate(crossed, Costs{}));
}

TEST(Meetings, OfTheNormHoldBackEveryUpdate) {
  const Shape shape{.devices = 4, .micro_batches = 8, .steps = 2, .global_norm = true};
  const Schedule schedule = *generate("1f1b", {.shape = shape});
  const Timeline timeline = *simulate(schedule, costs_of(1, 2));
  for (std::size_t d = 0; d < 4; ++d) {
    std::vector<double> norms;
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      if (schedule.rows[d][i].action.kind != ActionKind::ReduceNorm) continue;
      norms.push_back(timeline.spans[d][i].start);
    }
    EXPECT_EQ(norms, (std::vector<double>{33, 66})) << "device " << d;
  }
}

TEST(Slices, FollowEachOtherForwardAndComeBackInReverse) {
  // One micro-batch of three slices on two devices: a forward pipeline of three, then
  // a backward one, whose first slice is the last.
  const Schedule schedule = *generate(
      "token-slices", {.shape = {.devices = 2, .micro_batches = 1}, .slices = {3}});
  EXPECT_EQ(makespan(schedule, costs_of(1, 2)), (3 + 1) + 2 * (3 + 1));
  Schedule wrong = schedule;
  std::swap(wrong.rows[0][0], wrong.rows[0][1]);
  EXPECT_FALSE(simulate(wrong, Costs{}));
  wrong = schedule;
  const auto backward = std::find_if(
      wrong.rows[1].begin(), wrong.rows[1].end(),
      [](const Entry& entry) { return entry.action.kind != ActionKind::Forward; });
  std::swap(backward[0], backward[1]);
  EXPECT_FALSE(simulate(wrong, Costs{}));
  wrong = schedule;
  wrong.slices = {2};
  EXPECT_FALSE(simulate(wrong, Costs{}));
  wrong.slices = {3, 3};
  EXPECT_FALSE(simulate(wrong, Costs{}));
  wrong.slices = {0};
  EXPECT_FALSE(simulate(wrong, Costs{}));
}

TEST(Slices, CostAndWeighWhatTheirPartOfTheStepDoes) {
  Costs costs = costs_of(1, 2);
  costs.part_weights = {4, 2, 1};
  costs.within_node.bandwidth = 1;
  costs.message_bytes = {10};
  const Schedule schedule = *generate(
      "token-slices",
      {.shape = {.devices = 2, .micro_batches = 1, .steps = 2}, .slices = {3}});
  const Timeline timeline = *simulate(schedule, costs, {.record_transfers = true});
  for (std::size_t i = 0; i < schedule.rows[0].size(); ++i) {
    const Action& action = schedule.rows[0][i].action;
    if (action.kind != ActionKind::Forward) continue;
    EXPECT_EQ(timeline.spans[0][i].length(),
              costs.part_weights[static_cast<std::size_t>(action.slice)]);
  }
  ASSERT_EQ(timeline.transfers.size(), 2U * 2U * 3U);
  for (const Transfer& transfer : timeline.transfers) {
    EXPECT_EQ(transfer.span.length(),
              10 * costs.part_weights[static_cast<std::size_t>(transfer.slice)]);
  }
}

TEST(TwoWay, TakesWhatItsAuthorsSay) {
  // F = I = W = 1 and FB = 3: 60 ticks of work and 6 of bubble.
  for (const auto& [name, p, m] :
       {std::tuple{"dualpipe-v", 4, 10}, std::tuple{"dualpipe", 8, 20}}) {
    const Schedule schedule = make(name, p, m);
    const Metrics metrics = measure(schedule, *simulate(schedule, Costs{}));
    EXPECT_EQ(metrics.makespan, 66) << name;
    for (const double busy : metrics.busy) EXPECT_EQ(busy, 60) << name;
  }
}

// --- Links.

TEST(Links, DelayAHopByTheirLatency) {
  // One micro-batch on three devices: F F F B B B, and four hops.
  EXPECT_EQ(makespan(make("1f1b", 3, 1), costs_of(1, 2, 5)), 9 + 4 * 5);
}

TEST(Links, CostMoreBetweenNodesThanWithin) {
  // Devices 0 1 | 2 3 | 4: hops 0-1 and 2-3 are near, 1-2 and 3-4 far.
  Costs costs = costs_of(1, 2, 5);
  costs.between_nodes.latency = 100;
  costs.devices_per_node = 2;
  EXPECT_EQ(makespan(make("forward", 5, 1), costs), 5 + 2 * 5 + 2 * 100);
}

TEST(Links, CarryOneMessageAtATime) {
  // Each message needs 4 ticks of the link, each forward 1: the link sets the pace.
  Costs costs = costs_of(1, 2, 10);
  costs.within_node.bandwidth = 2;
  costs.message_bytes = {8};
  EXPECT_EQ(makespan(make("forward", 2, 5), costs), 1 + 5 * 4 + 10 + 1);
}

TEST(Links, CarryBothDirectionsAtOnce) {
  Costs costs = costs_of(1, 2);
  costs.within_node.bandwidth = 1;
  costs.message_bytes = {4};
  const Schedule schedule = make("1f1b", 2, 6);
  const Timeline timeline = *simulate(schedule, costs, {.record_transfers = true});
  bool together = false;
  for (const Transfer& a : timeline.transfers) {
    for (const Transfer& b : timeline.transfers) {
      const bool overlap = a.span.start < b.span.end && b.span.start < a.span.end;
      if (&a == &b || !overlap) continue;
      EXPECT_NE(a.kind, b.kind) << "two messages at once in one direction";
      together = true;
    }
  }
  EXPECT_TRUE(together);
}

TEST(Links, MoveNothingBetweenStagesOfOneDevice) {
  Schedule schedule = make("forward", 2, 1);
  schedule.placement = {.devices = 1, .device_of_stage = {0, 0}};
  schedule.rows = {
      {{{ActionKind::Forward, 0, 0, 0}}, {{ActionKind::Forward, 0, 1, 0}}}};
  Costs costs = costs_of(1, 2, 50);
  costs.within_node.bandwidth = 1;
  costs.message_bytes = {99};
  const Expected<Timeline> timeline =
      simulate(schedule, costs, {.record_transfers = true});
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->spans[0][1].end, 2);
  EXPECT_TRUE(timeline->transfers.empty());
}

TEST(Transfers, AreRecordedInOrderOfStartWithTheirTimes) {
  Costs costs = costs_of(1, 2, 3);
  costs.within_node.bandwidth = 2;
  costs.message_bytes = {4};
  const Schedule schedule = make("forward", 2, 3);
  EXPECT_TRUE(simulate(schedule, costs)->transfers.empty());
  const Timeline timeline = *simulate(schedule, costs, {.record_transfers = true});
  ASSERT_EQ(timeline.transfers.size(), 3U);
  for (std::int32_t k = 0; k < 3; ++k) {
    const Transfer& transfer = timeline.transfers[static_cast<std::size_t>(k)];
    EXPECT_EQ(transfer.kind, ActionKind::SendActivation);
    EXPECT_EQ(transfer.from_stage, 0);
    EXPECT_EQ(transfer.to_stage, 1);
    EXPECT_EQ(transfer.micro_batch, k);
    EXPECT_EQ(transfer.span.start,
              1 + 2 * k);  // ready at 1 + k, the link busy till here
    EXPECT_EQ(transfer.span.end, 1 + 2 * k + 2 + 3);
  }
}

// --- Joined entries and lowered rows.

TEST(JoinedEntries, RunAsOneCellThatCostsTheOverlap) {
  Schedule schedule = make("1f1b", 1, 2);
  schedule.rows[0] = {{{ActionKind::Forward, 0, 0, 0}},
                      {{ActionKind::Forward, 0, 0, 1}, true},
                      {{ActionKind::Backward, 0, 0, 0}},
                      {{ActionKind::Backward, 0, 0, 1}},
                      {{ActionKind::Update, 0, 0, 1}}};
  Costs costs = costs_of(2, 4);
  costs.stages[0].overlapped = 5;
  const Timeline timeline = *simulate(schedule, costs);
  const std::vector<Span>& spans = timeline.spans[0];
  EXPECT_EQ(spans[1].start, 2);
  EXPECT_EQ(spans[1].end, 7);
  EXPECT_EQ(spans[2].start, 2);
  EXPECT_EQ(spans[2].end, 7);
  EXPECT_EQ(spans[3].end, 11);
}

TEST(JoinedEntries, OfTwoStagesCostTheMeanOfTheirOverlaps) {
  Schedule schedule = make("1f1b", 1, 2);
  schedule.placement.device_of_stage = {0, 0};
  schedule.rows[0] = {
      {{ActionKind::Forward, 0, 0, 0}},       {{ActionKind::Forward, 0, 1, 0}},
      {{ActionKind::Forward, 0, 0, 1}, true}, {{ActionKind::Backward, 0, 1, 0}},
      {{ActionKind::Forward, 0, 1, 1}},       {{ActionKind::Backward, 0, 1, 1}},
      {{ActionKind::Backward, 0, 0, 0}},      {{ActionKind::Backward, 0, 0, 1}},
      {{ActionKind::Update, 0, 0, 1}},        {{ActionKind::Update, 0, 1, 1}}};
  Costs costs;
  costs.stages = {{.overlapped = 4}, {.overlapped = 8}};
  const Expected<Timeline> timeline = simulate(schedule, costs);
  ASSERT_TRUE(timeline) << timeline.error().what;
  EXPECT_EQ(timeline->spans[0][2].length(), 6);
}

TEST(LoweredRows, ComputeAtTheSameTimesAsTheRowsBefore) {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    const auto p = std::uniform_int_distribution(1, 6)(random);
    const auto m = std::uniform_int_distribution(1, 8)(random);
    const Costs costs = random_costs(random, p);
    for (const char* name : {"forward", "model-parallel", "gpipe", "1f1b"}) {
      const Schedule schedule = make(name, p, m, 2);
      const Schedule lowered = lower(schedule);
      const Expected<Timeline> plain = simulate(schedule, costs);
      const Expected<Timeline> timeline = simulate(lowered, costs);
      ASSERT_TRUE(plain && timeline);
      std::vector<std::vector<Span>> computed(lowered.rows.size());
      for (std::size_t d = 0; d < lowered.rows.size(); ++d) {
        for (std::size_t e = 0; e < lowered.rows[d].size(); ++e) {
          if (is_communication(lowered.rows[d][e].action.kind)) continue;
          computed[d].push_back(timeline->spans[d][e]);
        }
      }
      expect_same(schedule, computed, plain->spans);
    }
  }
}

TEST(LoweredRows, GiveSendAndReceiveTheSpanOfTheirTransfer) {
  Costs costs = costs_of(1, 2, 3);
  costs.within_node.bandwidth = 2;
  costs.message_bytes = {4};
  const Schedule lowered = lower(make("1f1b", 3, 4));
  const Timeline timeline = *simulate(lowered, costs, {.record_transfers = true});
  std::size_t messages = 0;
  for (std::size_t d = 0; d < lowered.rows.size(); ++d) {
    for (std::size_t i = 0; i < lowered.rows[d].size(); ++i) {
      const Action& action = lowered.rows[d][i].action;
      if (!is_communication(action.kind)) continue;
      ++messages;
      const bool gradient = action.kind == ActionKind::SendGradient ||
                            action.kind == ActionKind::ReceiveGradient;
      const bool sends = action.kind == ActionKind::SendActivation ||
                         action.kind == ActionKind::SendGradient;
      const std::int32_t from =
          sends ? action.stage : action.stage + (gradient ? 1 : -1);
      const auto transfer = std::find_if(
          timeline.transfers.begin(), timeline.transfers.end(), [&](const Transfer& t) {
            return t.from_stage == from && t.micro_batch == action.micro_batch &&
                   (t.kind == ActionKind::SendGradient) == gradient;
          });
      ASSERT_NE(transfer, timeline.transfers.end());
      EXPECT_EQ(timeline.spans[d][i].start, transfer->span.start);
      EXPECT_EQ(timeline.spans[d][i].end, transfer->span.end);
      EXPECT_GE(timeline.spans[d][i].length(), 5);
    }
  }
  EXPECT_EQ(messages, 2 * timeline.transfers.size());
  EXPECT_EQ(timeline.transfers.size(), 2U * 2U * 4U);
}

// --- Refusals.

TEST(Refusals, NameTheCostThatIsNoCost) {
  const Schedule schedule = make("1f1b", 2, 2);
  const auto refusal = [&](const Costs& costs) {
    const Expected<Timeline> timeline = simulate(schedule, costs);
    return timeline ? std::string("accepted") : timeline.error().what;
  };
  Costs costs;
  costs.stages = {{}, {.weight_gradient = -2.5}};
  EXPECT_EQ(refusal(costs),
            "the cost of the weight gradient of stage 1 is -2.5, a negative number");
  costs.stages = {{.forward = std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(refusal(costs), "the cost of the forward of the stages is not a number");
  costs.stages = {{.update = kInfinity}};
  EXPECT_EQ(refusal(costs), "the cost of the update of the stages is infinite");
  costs.stages = {{}, {}, {}};
  EXPECT_EQ(refusal(costs), "3 stage costs for 2 stages");
  costs.stages = {};
  EXPECT_EQ(refusal(costs), "0 stage costs for 2 stages");
  costs = {};
  costs.message_bytes = {1, 2, 3};
  EXPECT_EQ(refusal(costs), "3 message sizes for 2 stages");
  costs.message_bytes = {-1};
  EXPECT_EQ(refusal(costs), "the message size of the stages is -1, a negative number");
  costs = {};
  costs.within_node.latency = -kInfinity;
  EXPECT_EQ(refusal(costs), "the latency within a node is infinite");
  costs = {};
  costs.between_nodes.bandwidth = -1;
  EXPECT_EQ(refusal(costs), "the bandwidth between nodes is -1, a negative number");
  costs = {};
  costs.devices_per_node = -4;
  EXPECT_EQ(refusal(costs), "-4 devices per node");
  costs = {.stages = {{.reduce = -1}}};
  EXPECT_EQ(refusal(costs),
            "the cost of the reduce of the stages is -1, a negative number");
  costs = {.part_weights = {1, 0}};
  EXPECT_EQ(refusal(costs), "the weight of part 1 of a step is 0");
  costs.part_weights = {1, -2};
  EXPECT_EQ(refusal(costs), "the weight of part 1 of a step is -2, a negative number");
  costs.part_weights = {1, 1, 1};
  EXPECT_EQ(refusal(costs), "3 weights for a step of 2 parts");
  EXPECT_EQ(refusal(Costs{}), "accepted");
}

TEST(Refusals, SayWhatVerifySaysOfActionsThatWaitForEachOther) {
  Schedule schedule = make("1f1b", 2, 2);
  std::swap(schedule.rows[1][0], schedule.rows[1][1]);  // B0 before F0
  const Expected<Timeline> timeline = simulate(schedule, Costs{});
  ASSERT_FALSE(timeline);
  ASSERT_FALSE(verify(schedule).empty());
  EXPECT_EQ(timeline.error().what, verify(schedule).front().reason);
}

TEST(Refusals, CatchEveryKindOfRowThatCannotRun) {
  const Schedule valid = make("1f1b", 2, 2);
  const auto refused = [](const Schedule& schedule) {
    return !simulate(schedule, Costs{}).has_value();
  };
  EXPECT_FALSE(refused(valid));

  Schedule schedule = valid;
  schedule.rows[0].erase(schedule.rows[0].begin());  // a forward is missing
  EXPECT_TRUE(refused(schedule));
  for (const std::int32_t stage : {-1, 1, 2, 1'000'000}) {
    schedule = valid;
    schedule.rows[0][0].action.stage = stage;
    EXPECT_TRUE(refused(schedule)) << "stage " << stage;
  }
  for (const std::int32_t micro_batch : {-1, 2, 1'000'000}) {
    schedule = valid;
    schedule.rows[0][0].action.micro_batch = micro_batch;
    EXPECT_TRUE(refused(schedule)) << "micro-batch " << micro_batch;
  }
  schedule = valid;
  schedule.micro_batches = std::numeric_limits<std::int32_t>::max();
  schedule.steps = std::numeric_limits<std::int32_t>::max();
  EXPECT_TRUE(refused(schedule));
  schedule = valid;
  schedule.placement.device_of_stage[1] = 7;
  EXPECT_TRUE(refused(schedule));
  schedule = valid;
  schedule.rows.pop_back();
  EXPECT_TRUE(refused(schedule));
  schedule = valid;  // the last backward of stage 0 in the row of device 1
  ASSERT_EQ(schedule.rows[0][3].action.kind, ActionKind::Backward);
  schedule.rows[1].push_back(schedule.rows[0][3]);
  schedule.rows[0].erase(schedule.rows[0].begin() + 3);
  EXPECT_TRUE(refused(schedule));
  schedule = valid;
  schedule.training = false;  // yet it has backwards
  EXPECT_TRUE(refused(schedule));
  EXPECT_TRUE(refused(Schedule{}));
}

TEST(Refusals, CatchGradientsInTheWrongOrderOnOneDevice) {
  const Schedule split = split_backwards(make("1f1b", 2, 2));
  Schedule schedule = split;
  std::swap(schedule.rows[1][1], schedule.rows[1][2]);  // W0 before I0
  EXPECT_FALSE(simulate(schedule, Costs{}));
  schedule = recomputed(make("1f1b", 2, 2));
  std::swap(schedule.rows[1][1], schedule.rows[1][2]);  // B0 before R0
  EXPECT_FALSE(simulate(schedule, Costs{}));
}

}  // namespace
}  // namespace pipeline
