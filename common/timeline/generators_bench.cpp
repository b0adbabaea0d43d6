// Every generator of the registry, from its name to the times: generate, verify and
// simulate at 32 x 256, the size that follows a slider. An automatic search may take
// longer. Then the largest of the chunked ones.
#include <benchmark/benchmark.h>

#include <ctime>
#include <string>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/verify.hpp"
#include "timeline/median.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

/// Time that this thread has computed; see timeline_bench.cpp.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Run {
  double generate = -1;  ///< seconds; negative when something was refused
  double all = -1;
};

Run run(const Generator& generator, const Request& request) {
  const double start = seconds();
  const Expected<Schedule> schedule = generator.generate(request);
  const double generated = seconds();
  if (!schedule || !verify(*schedule).empty()) return {};
  const Expected<Timeline> timeline = simulate(*schedule, request.costs);
  if (!timeline) return {};
  const double end = seconds();
  benchmark::DoNotOptimize(timeline->spans.data());
  return {generated - start, end - start};
}

/// Medians over the time that is allowed.
void measure_runs(benchmark::State& state, const Generator& generator,
                  const Request& request, double allowed_seconds, double Run::*part) {
  std::vector<double> times;
  for ([[maybe_unused]] auto _ : state) {
    times.push_back(run(generator, request).*part);
    if (times.back() < 0) {
      state.SkipWithError("the generator refused, or its schedule does not hold");
      return;
    }
    state.SetIterationTime(times.back());
  }
  state.counters["ratio"] = median(times) / allowed_seconds;
  state.counters["limit"] = 1;
  state.counters["at_most"] = 1;
}

/// One slice: more of them are that many times the actions.
Request request_of(const Generator& generator, Shape shape) {
  Request request;
  request.shape = shape;
  if (generator.reads.slices) request.slices = {1};
  return request;
}

/// The last row of table 5 of the zero-bubble paper, with the memory of `times` 1F1B.
Request search_of(const Generator& generator, Shape shape, double times) {
  Request request = request_of(generator, shape);
  StageCosts& stage = request.costs.stages[0];
  stage.forward = 10402;
  stage.input_gradient = 10248;
  stage.weight_gradient = 7698;
  request.costs.within_node.latency = 460;
  request.costs.between_nodes.latency = 460;
  request.memory_limit = {times * shape.devices};
  request.freed_by_input_gradient = 0.5676;
  return request;
}

void add_benchmark(const std::string& name, const Generator& generator,
                   const Request& request, double allowed_seconds, double Run::*part,
                   int iterations) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [&generator, request, allowed_seconds, part](benchmark::State& state) {
        measure_runs(state, generator, request, allowed_seconds, part);
      })
      ->UseManualTime()
      ->Iterations(iterations)
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  constexpr Shape kSlider{.devices = 32, .micro_batches = 256, .steps = 1};
  constexpr Shape kLarge{.devices = 512, .micro_batches = 4096, .steps = 1};
  for (const Generator& generator : generators()) {
    const std::string name(generator.name);
    const Request request = request_of(generator, kSlider);
    if (generator.reads.memory_limit) {
      for (const int times : {1, 2}) {
        add_benchmark(
            "search/" + name + "/32x256_in_20_ms/memory_x" + std::to_string(times),
            generator, search_of(generator, kSlider, times), 20e-3, &Run::generate, 21);
      }
    } else {
      add_benchmark("generator/" + name + "/32x256_in_5_ms", generator, request, 5e-3,
                    &Run::all, 21);
    }
    if (generator.name == "interleaved") {
      Request large = request_of(generator, kLarge);
      large.chunks = 2;
      add_benchmark("generator/" + name + "/512x4096x2_in_2_s", generator, large, 2,
                    &Run::all, 3);
    }
  }
  return true;
}();

}  // namespace
}  // namespace pipeline
