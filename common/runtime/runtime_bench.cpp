// What the executor costs: measured against what `simulate` makes of the measured
// actions, and two devices against one. Medians of several runs, as ratios.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layers/random.hpp"
#include "runtime/executor.hpp"
#include "runtime/replay.hpp"
#include "schedule/generate.hpp"
#include "schedule/recompute.hpp"
#include "timeline/costs_from.hpp"
#include "timeline/median.hpp"
#include "timeline/metrics.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kWidth = 768;
constexpr std::int32_t kMicroBatches = 16;
constexpr std::int32_t kRows = 128 * kMicroBatches;
constexpr std::int32_t kRuns = 7;

/// Eight layers, to be cut into equal halves: each begins with a layer that costs next
/// to nothing, since the first layer of all needs no input gradient.
Network even_network() {
  Network network;
  for (std::int32_t i = 0; i < 4; ++i) {
    network.push_back(relu(kWidth));
    network.push_back(linear(kWidth, kWidth));
  }
  return network;
}

/// The same for re-computation, which leaves out the last layer of a stage: here that
/// is one that costs next to nothing, too, so that R is F.
Network recomputed_network(std::int32_t stages) {
  Network network;
  for (std::int32_t i = 0; i < stages; ++i) {
    network.push_back(relu(kWidth));
    network.push_back(linear(kWidth, kWidth));
    network.push_back(linear(kWidth, kWidth));
    network.push_back(relu(kWidth));
  }
  return network;
}

struct MadeUpBatch {
  MadeUpBatch() {
    Random random(1);
    for (std::int32_t i = 0; i < kRows * kWidth; ++i) {
      inputs.push_back(static_cast<float>(2 * random.uniform() - 1));
    }
    for (std::int32_t i = 0; i < kRows; ++i) labels.push_back(i % kWidth);
  }
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;
};

/// A schedule on real devices, ready to be run and measured again and again.
class Setting {
 public:
  Setting(const std::string& name, std::int32_t devices)
      : Setting(*generate(name, {{devices, kMicroBatches, 1}}), even_network()) {}
  Setting(Schedule schedule, Network network)
      : schedule_(std::move(schedule)),
        network_(std::move(network)),
        platform_(*make_platform(schedule_.devices())),
        placed_(*PlacedNetwork::place(
            *platform_, network_,
            *even_split(static_cast<std::int32_t>(network_.size()),
                        schedule_.devices()),
            schedule_.placement, 1)),
        executor_(*Executor::make(*placed_, schedule_, kRows)) {
    run();  // the first run sees the shapes for the first time
  }

  PlacedNetwork& network() { return *placed_; }
  const Schedule& schedule() const { return schedule_; }
  const Timeline& run() {
    const Batch batch{batch_.inputs.data(), batch_.labels.data(), kRows};
    if (!executor_->run(std::span(&batch, 1))) std::abort();
    return executor_->result().timeline;
  }
  double makespan() { return measure(schedule_, run()).makespan; }

 private:
  MadeUpBatch batch_;
  Schedule schedule_;
  Network network_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
};

bool has_two_devices(benchmark::State& state) {
  const auto platform = make_platform(2);
  if (!platform) {
    state.SkipWithError(platform.error().what.c_str());
  } else if (honest_level(**platform) == Level::Replay) {
    state.SkipWithError("needs a core or a GPU for each of two devices");
  } else {
    return true;
  }
  return false;
}

void report(benchmark::State& state, double ratio, double limit, bool at_most) {
  state.counters["ratio"] = ratio;
  state.counters["limit"] = limit;
  state.counters["at_most"] = at_most ? 1 : 0;
}

/// Makespan of 1F1B, measured / simulated with the costs measured in the same run.
void BM_MeasuredOverSimulated(benchmark::State& state) {
  if (!has_two_devices(state)) return;
  Setting two("1f1b", 2);
  std::vector<double> ratios;
  std::vector<double> forwards;
  while (state.KeepRunning()) {
    for (std::int32_t i = 0; i < kRuns; ++i) {
      const Timeline& measured = two.run();
      const Costs costs = costs_from(two.schedule(), measured);
      const auto simulated = replay(two.schedule(), costs);
      ratios.push_back(measure(two.schedule(), measured).makespan /
                       measure(two.schedule(), *simulated).makespan);
      forwards.push_back(costs.stages[0].forward);
    }
  }
  state.counters["forward_ms"] = median(forwards) * 1e3;
  report(state, median(ratios), 1.05, true);
}
BENCHMARK(BM_MeasuredOverSimulated)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Speed-up of two devices over one, over what the schedule allows: 2m/(m+1).
void BM_SpeedUpOfTwoDevices(benchmark::State& state) {
  if (!has_two_devices(state)) return;
  Setting one("1f1b", 1);
  Setting two("1f1b", 2);
  std::vector<double> speed_ups;
  while (state.KeepRunning()) {
    for (std::int32_t i = 0; i < kRuns; ++i) {
      speed_ups.push_back(one.makespan() / two.makespan());
    }
  }
  constexpr double kAllowed = 2.0 * kMicroBatches / (kMicroBatches + 1);
  state.counters["speed_up"] = median(speed_ups);
  report(state, median(speed_ups) / kAllowed, 0.93, false);
}
BENCHMARK(BM_SpeedUpOfTwoDevices)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The replay, which never runs two devices at once, against the wall clock.
void BM_MeasuredOverReplay(benchmark::State& state) {
  if (!has_two_devices(state)) return;
  Setting two("1f1b", 2);
  std::vector<double> ratios;
  while (state.KeepRunning()) {
    for (std::int32_t i = 0; i < kRuns; ++i) {
      const Costs costs = measure_action_costs(two.network(), kRows / kMicroBatches);
      const auto simulated = replay(two.schedule(), costs);
      ratios.push_back(two.makespan() / measure(two.schedule(), *simulated).makespan);
    }
  }
  state.counters["ratio"] = median(ratios);
}
BENCHMARK(BM_MeasuredOverReplay)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Makespan of 1F1B that makes everything twice, measured / simulated with the costs
/// measured in the same run. Beside it what that is of a step without: of the work 4/3,
/// of the time 67/51 where F = R and B = 2F.
void BM_RecomputedOverSimulated(benchmark::State& state) {
  if (!has_two_devices(state)) return;
  const Schedule schedule = *one_f_one_b({2, kMicroBatches, 1});
  Setting never(schedule, recomputed_network(2));
  Setting always(*with_recompute(schedule), recomputed_network(2));
  std::vector<double> ratios, work, time, predicted;
  while (state.KeepRunning()) {
    for (std::int32_t i = 0; i < kRuns; ++i) {
      const Metrics plain = measure(never.schedule(), never.run());
      const Timeline& measured = always.run();
      const Metrics seen = measure(always.schedule(), measured);
      const Costs costs = costs_from(always.schedule(), measured);
      const auto simulated = replay(always.schedule(), costs);
      const auto without = replay(never.schedule(), costs);
      const double expected = measure(always.schedule(), *simulated).makespan;
      ratios.push_back(seen.makespan / expected);
      work.push_back(seen.ideal / plain.ideal);
      time.push_back(seen.makespan / plain.makespan);
      predicted.push_back(expected / measure(never.schedule(), *without).makespan);
    }
  }
  state.counters["work"] = median(work);
  state.counters["time"] = median(time);
  state.counters["time_simulated"] = median(predicted);
  report(state, median(ratios), 1.05, true);
}
BENCHMARK(BM_RecomputedOverSimulated)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The same on four devices with eight micro-batches, whose actions were measured one
/// at a time: time with over time without, over 41/33.
void BM_RecomputedReplay(benchmark::State& state) {
  const Schedule schedule = *one_f_one_b({4, 8, 1});
  const Schedule longer = *with_recompute(schedule);
  Setting four(schedule, recomputed_network(4));
  std::vector<double> time, work;
  while (state.KeepRunning()) {
    for (std::int32_t i = 0; i < kRuns; ++i) {
      const Costs costs = measure_action_costs(four.network(), kRows / kMicroBatches);
      const Metrics plain = measure(schedule, *replay(schedule, costs));
      const Metrics again = measure(longer, *replay(longer, costs));
      time.push_back(again.makespan / plain.makespan);
      work.push_back(again.ideal / plain.ideal);
    }
  }
  state.counters["time"] = median(time);
  state.counters["work"] = median(work);
  report(state, median(time) / (41.0 / 33), 1.05, true);
}
BENCHMARK(BM_RecomputedReplay)->Iterations(1)->Unit(benchmark::kMillisecond);

/// A run with next to no work in it: what issuing and waking costs.
void BM_OverheadOfAnAction(benchmark::State& state) {
  const auto devices = static_cast<std::int32_t>(state.range(0));
  const auto platform = make_platform(devices);
  if (!platform) return state.SkipWithError(platform.error().what.c_str());
  Network network;
  for (std::int32_t i = 0; i < 4; ++i) network.push_back(relu(4));
  const Schedule schedule = *one_f_one_b({devices, kMicroBatches, 1});
  auto placed = *PlacedNetwork::place(**platform, network, *even_split(4, devices),
                                      schedule.placement, 1);
  auto executor = *Executor::make(*placed, schedule, kMicroBatches);
  const std::vector<float> inputs(std::size_t{4} * kMicroBatches, 0.5F);
  const std::vector<std::int32_t> labels(kMicroBatches, 1);
  const Batch batch{inputs.data(), labels.data(), kMicroBatches};
  while (state.KeepRunning()) {
    if (!executor->run(std::span(&batch, 1))) std::abort();
  }
  state.counters["an_action"] = benchmark::Counter(
      static_cast<double>(state.iterations() * 2 * devices * kMicroBatches),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_OverheadOfAnAction)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace pipeline
