// What the filter and the loop pipelines cost, as ratios within one run: the filter in
// Thrust against plain loops, a pipelined loop against its prediction, and our
// hand-over between stages against oneTBB's.
#include <benchmark/benchmark.h>
#include <time.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "data/loop_pipeline.hpp"
#include "data/morphology_reference.hpp"
#include "device/host.hpp"
#include "layers/compute.hpp"
#include "layers/random.hpp"
#include "timeline/median.hpp"

namespace pipeline {
namespace {

using Clock = std::chrono::steady_clock;

template <typename F>
double seconds(const F& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Of this thread alone, so that what else runs on the machine counts less.
template <typename F>
double own_seconds(const F& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

/// On the host: erosion and dilation, or counting the components, in Thrust over the
/// same in plain loops. The least of a pixel and its neighbours goes through whole rows
/// and is vectorised; labels go a pixel a round, where flood fill goes once.
void morphology(benchmark::State& state, bool counting) {
  constexpr std::int32_t kImages = 64;
  reference::Images images{{}, kImages, 28, 28};
  Random random(1);
  for (int i = 0; i < kImages * 28 * 28; ++i) {
    images.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  const auto element = square_element(1);
  const auto mask = reference::at_least(128, images);
  const auto platform = make_host_platform(1);
  Compute compute(platform->device(0));
  const auto stream = platform->device(0).make_stream("compute");
  std::vector<std::uint8_t> opened(images.pixels.size());
  std::vector<std::int32_t> labels(images.pixels.size());
  const auto in_thrust = [&] {
    const GreyImages in = {images.pixels.data(), kImages, 28, 28};
    if (counting) {
      label_components(compute, in.with(mask.pixels.data()), labels.data());
    } else {
      open(compute, element, in, opened.data());
    }
  };
  const auto plain = [&] {
    if (counting) {
      benchmark::DoNotOptimize(reference::labels(mask));
    } else {
      benchmark::DoNotOptimize(reference::opened(element, images));
    }
  };
  std::vector<double> ratios;
  const auto measure = [&] {
    const double ours = own_seconds(in_thrust);
    ratios.push_back(ours / own_seconds(plain));
  };
  for ([[maybe_unused]] auto _ : state) {
    stream->run(Work([&measure](NativeStream) { measure(); }));
    stream->synchronize();
  }
  state.counters["ratio"] = median(ratios);
}
BENCHMARK_CAPTURE(morphology, opening, false)
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(morphology, labels, true)
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);

/// Stages that wait for so many milliseconds, which needs no core.
std::vector<LoopStage> waiting_stages(const std::vector<int>& milliseconds) {
  std::vector<LoopStage> stages;
  stages.reserve(milliseconds.size());
  for (const int time : milliseconds) {
    stages.push_back({"wait", [time](Token) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(time));
                        return Expected<void>();
                      }});
  }
  return stages;
}

/// Σt + (m-1) max t, measured over simulated. oneTBB's has no limit: it is not ours.
void pipelined(benchmark::State& state,
               Expected<Timeline> (*run)(std::span<const LoopStage>, LoopShape)) {
  constexpr LoopShape kShape = {30, 4};
  const auto stages = waiting_stages({2, 4, 3});
  const Timeline predicted =
      simulate_loop({std::vector<double>(30, 2e-3), std::vector<double>(30, 4e-3),
                     std::vector<double>(30, 3e-3)},
                    kShape.tokens);
  std::vector<double> ratios;
  for ([[maybe_unused]] auto _ : state) {
    const auto measured = run(stages, kShape);
    if (!measured) return state.SkipWithError(measured.error().what.c_str());
    ratios.push_back(measured->spans.back().back().end /
                     predicted.spans.back().back().end);
  }
  state.counters["ratio"] = median(ratios);
  if (run == run_loop_pipeline) {
    state.counters["limit"] = 1.1;
    state.counters["at_most"] = 1;
  }
}
BENCHMARK_CAPTURE(pipelined, ours, run_loop_pipeline)
    ->Iterations(7)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipelined, tbb, run_loop_on_tbb)
    ->Iterations(7)
    ->Unit(benchmark::kMillisecond);

/// What an item costs that nothing is done with: ours over oneTBB's. No limit: a thread
/// a stage must hand each item over, and oneTBB's threads carry it along.
void BM_HandOverOfOursOverTbb(benchmark::State& state) {
  constexpr LoopShape kShape = {2000, 4};
  const std::vector<LoopStage> idle(3,
                                    {"idle", [](Token) { return Expected<void>(); }});
  std::vector<double> ratios;
  std::vector<double> ours;
  for ([[maybe_unused]] auto _ : state) {
    ours.push_back(
        seconds([&] { benchmark::DoNotOptimize(run_loop_pipeline(idle, kShape)); }));
    const double tbb =
        seconds([&] { benchmark::DoNotOptimize(run_loop_on_tbb(idle, kShape)); });
    ratios.push_back(ours.back() / tbb);
  }
  state.counters["ratio"] = median(ratios);
  state.counters["us_an_item"] = 1e6 * median(ours) / kShape.items;
}
BENCHMARK(BM_HandOverOfOursOverTbb)->Iterations(7)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
