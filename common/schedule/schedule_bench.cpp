// Generating and verifying: 1F1B at the size that follows a moved slider (32 x 256) and
// at that of the largest cluster (1024 x 8192, 16.8 million actions), every schedule at
// the former, interleaved 1F1B at 512 x 4096. With `simulate` these may take 1 ms, 2 s,
// 5 ms (20 ms with a search) and 2 s: `ratio` is the share of that time, which leaves
// at least half of it to the timeline.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

// Of this thread alone, so that what else runs on the machine counts less.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Shape shape_of(std::int64_t devices, std::int64_t micro_batches) {
  return {static_cast<std::int32_t>(devices), static_cast<std::int32_t>(micro_batches),
          1};
}

double seconds_to_generate_and_verify(Shape shape) {
  const double start = cpu_seconds();
  const auto schedule = one_f_one_b(shape);
  const auto faults = verify(*schedule);
  benchmark::DoNotOptimize(faults.size());
  return cpu_seconds() - start;
}

// Args: devices, micro-batches, and microseconds for the whole engine.
void generate_and_verify(benchmark::State& state) {
  const double allowed = 1e-6 * static_cast<double>(state.range(2));
  std::vector<double> shares;
  while (state.KeepRunning()) {
    shares.push_back(
        seconds_to_generate_and_verify(shape_of(state.range(0), state.range(1))) /
        allowed);
  }
  state.counters["ratio"] = median(shares);
  state.counters["limit"] = 0.5;
  state.counters["at_most"] = 1;
}
BENCHMARK(generate_and_verify)
    ->ArgNames({"p", "m", "allowed_us"})
    ->Args({32, 256, 1'000})
    ->Iterations(201)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(generate_and_verify)
    ->ArgNames({"p", "m", "allowed_us"})
    ->Args({1024, 8192, 2'000'000})
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

double seconds_to_generate_and_verify(const Generator& generator,
                                      const Request& request) {
  const double start = cpu_seconds();
  const auto schedule = generator.generate(request);
  if (schedule) benchmark::DoNotOptimize(verify(*schedule).size());
  return cpu_seconds() - start;
}

// The worst of all.
void generate_and_verify_each(benchmark::State& state) {
  Request request;
  request.shape = shape_of(32, 256);
  double worst = 0;
  while (state.KeepRunning()) {
    for (const Generator& generator : generators()) {
      const double allowed = generator.reads.memory_limit ? 20e-3 : 5e-3;
      std::vector<double> shares(9);
      for (double& share : shares) {
        share = seconds_to_generate_and_verify(generator, request) / allowed;
      }
      worst = std::max(worst, median(shares));
    }
  }
  state.counters["ratio"] = worst;
  state.counters["limit"] = 0.5;
  state.counters["at_most"] = 1;
}
BENCHMARK(generate_and_verify_each)->Iterations(1)->Unit(benchmark::kMillisecond);

void generate_and_verify_interleaved(benchmark::State& state) {
  Request request;
  request.shape = shape_of(512, 4096);
  request.chunks = 2;
  const auto interleaved =
      std::find_if(generators().begin(), generators().end(),
                   [](const Generator& g) { return g.name == "interleaved"; });
  std::vector<double> shares;
  while (state.KeepRunning()) {
    shares.push_back(seconds_to_generate_and_verify(*interleaved, request) / 2);
  }
  state.counters["ratio"] = median(shares);
  state.counters["limit"] = 0.5;
  state.counters["at_most"] = 1;
}
BENCHMARK(generate_and_verify_interleaved)
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

// Sixteen times the actions: the time of one, over its time at the smaller size. Not
// quite 1, since a schedule of 268 MB does not stay in any cache.
void growth_per_action(benchmark::State& state) {
  std::vector<double> ratios;
  while (state.KeepRunning()) {
    const double small = seconds_to_generate_and_verify(shape_of(256, 2048));
    const double large = seconds_to_generate_and_verify(shape_of(1024, 8192));
    ratios.push_back(large / small / 16);
  }
  state.counters["ratio"] = median(ratios);
  state.counters["limit"] = 2;
  state.counters["at_most"] = 1;
}
BENCHMARK(growth_per_action)->Iterations(5)->Unit(benchmark::kMillisecond);

// What messages cost the verifier, over the same schedule without them. A lowered row
// holds three times the entries.
void verify_lowered(benchmark::State& state) {
  const auto schedule = one_f_one_b(shape_of(64, 1024));
  const Schedule lowered = lower(*schedule);
  std::vector<double> ratios;
  const auto seconds = [](const Schedule& s) {
    const double start = cpu_seconds();
    benchmark::DoNotOptimize(verify(s).size());
    return cpu_seconds() - start;
  };
  while (state.KeepRunning()) {
    const double plain = seconds(*schedule);
    ratios.push_back(seconds(lowered) / plain);
  }
  state.counters["ratio"] = median(ratios);
}
BENCHMARK(verify_lowered)->Iterations(21)->Unit(benchmark::kMillisecond);

// The same for placing the messages.
void lower_rows(benchmark::State& state) {
  const auto schedule = one_f_one_b(shape_of(64, 1024));
  std::vector<double> ratios;
  while (state.KeepRunning()) {
    const double start = cpu_seconds();
    benchmark::DoNotOptimize(verify(*schedule).size());
    const double verified = cpu_seconds();
    benchmark::DoNotOptimize(lower(*schedule).rows.size());
    ratios.push_back((cpu_seconds() - verified) / (verified - start));
  }
  state.counters["ratio"] = median(ratios);
}
BENCHMARK(lower_rows)->Iterations(21)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
