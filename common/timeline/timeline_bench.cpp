// The engine, from a shape to its times: generate, verify and simulate 1F1B. It must be
// fast enough to follow a slider (32 x 256), and reach the largest cluster (1024 x
// 8192: 16.8 million actions).
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/verify.hpp"
#include "timeline/median.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

constexpr Shape kSlider{.devices = 32, .micro_batches = 256, .steps = 1};
constexpr Shape kSmaller{.devices = 128, .micro_batches = 1024, .steps = 1};
constexpr Shape kLargest{.devices = 1024, .micro_batches = 8192, .steps = 1};

/// Time that this thread has computed: the engine has one thread, and what else runs on
/// the machine is not its doing.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs the engine once; how many seconds it took, or a negative number if it failed.
double run_engine(Shape shape) {
  const double start = seconds();
  const Expected<Schedule> schedule = one_f_one_b(shape);
  if (!schedule || !verify(*schedule).empty()) return -1;
  const Expected<Timeline> timeline = simulate(*schedule, Costs{});
  if (!timeline) return -1;
  const double took = seconds() - start;
  benchmark::DoNotOptimize(timeline->spans.data());
  return took;
}

void report(benchmark::State& state, double ratio, double limit) {
  state.counters["ratio"] = ratio;
  state.counters["limit"] = limit;
  state.counters["at_most"] = 1;
}

/// Median time of the engine over the time that it may take.
void engine(benchmark::State& state, Shape shape, double allowed_seconds) {
  std::vector<double> times;
  for (auto _ : state) {
    times.push_back(run_engine(shape));
    state.SetIterationTime(times.back());
    if (times.back() < 0) state.SkipWithError("the engine refused its own schedule");
  }
  report(state, median(times) / allowed_seconds, 1);
}
BENCHMARK_CAPTURE(engine, 32x256_in_1_ms, kSlider, 1e-3)
    ->UseManualTime()
    ->Iterations(101)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, 1024x8192_in_2_s, kLargest, 2.0)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

/// The power of the number of actions with which time grows: 1 is linear, and 64 times
/// the actions may cost twice as much each, since they no longer fit the caches.
void engine_growth(benchmark::State& state) {
  std::vector<double> smaller;
  std::vector<double> largest;
  for (auto _ : state) {
    for (int i = 0; i < 5; ++i) smaller.push_back(run_engine(kSmaller));
    largest.push_back(run_engine(kLargest));
  }
  const double actions = 64;
  report(state, std::log(median(largest) / median(smaller)) / std::log(actions),
         1 + std::log(2.0) / std::log(actions));
}
BENCHMARK(engine_growth)->Iterations(3)->Unit(benchmark::kMillisecond);

/// Peak memory of this process, engine included, over the 2 GB that it may take.
void engine_memory(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(run_engine(kLargest));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  report(state, static_cast<double>(usage.ru_maxrss) * 1024 / 2e9, 1);
}
BENCHMARK(engine_memory)->Iterations(1)->Unit(benchmark::kMillisecond);

void simulate_1f1b(benchmark::State& state) {
  const Shape shape{.devices = static_cast<std::int32_t>(state.range(0)),
                    .micro_batches = static_cast<std::int32_t>(state.range(1)),
                    .steps = 1};
  const Schedule schedule = *one_f_one_b(shape);
  for (auto _ : state) benchmark::DoNotOptimize(simulate(schedule, Costs{}));
}
BENCHMARK(simulate_1f1b)
    ->Args({32, 256})
    ->Args({1024, 8192})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
