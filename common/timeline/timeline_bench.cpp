// The engine, from a shape to its times: generate, verify and simulate 1F1B. It must be
// fast enough to follow a slider (32 x 256), and reach the largest cluster (1024 x
// 8192: 16.8 million actions).
#include <benchmark/benchmark.h>
#include <sys/resource.h>

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
constexpr Shape kQuarter{.devices = 512, .micro_batches = 4096, .steps = 1};
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
  for ([[maybe_unused]] auto _ : state) {
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

/// What one action costs at the largest size over what it costs at a quarter of it,
/// both far larger than any cache: 1 is linear growth, 4 would be quadratic.
void engine_growth(benchmark::State& state) {
  std::vector<double> quarter;
  std::vector<double> largest;
  for ([[maybe_unused]] auto _ : state) {
    for (int i = 0; i < 3; ++i) quarter.push_back(run_engine(kQuarter));
    largest.push_back(run_engine(kLargest));
  }
  report(state, median(largest) / (4 * median(quarter)), 1.25);
}
BENCHMARK(engine_growth)->Iterations(3)->Unit(benchmark::kMillisecond);

/// Peak memory of this process, engine included, over the 2 GB that it may take.
void engine_memory(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(run_engine(kLargest));
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
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(simulate(schedule, Costs{}));
}
BENCHMARK(simulate_1f1b)
    ->Args({32, 256})
    ->Args({1024, 8192})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
