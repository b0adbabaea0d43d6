// How long it takes to generate and to verify 1F1B, at the sizes that the engine must
// handle while a student moves a slider (32 x 256) and at the largest cluster (1024 x
// 8192). `share` is the part of the whole that the other benchmarks of the engine, with
// `simulate`, are held against.
#include <benchmark/benchmark.h>

#include "schedule/generate.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

void generate_1f1b(benchmark::State& state) {
  const Shape shape{static_cast<std::int32_t>(state.range(0)),
                    static_cast<std::int32_t>(state.range(1)), 1};
  for (auto _ : state) {
    auto schedule = one_f_one_b(shape);
    benchmark::DoNotOptimize(schedule);
  }
}
void verify_1f1b(benchmark::State& state) {
  const Shape shape{static_cast<std::int32_t>(state.range(0)),
                    static_cast<std::int32_t>(state.range(1)), 1};
  const auto schedule = one_f_one_b(shape);
  for (auto _ : state) {
    auto faults = verify(*schedule);
    benchmark::DoNotOptimize(faults);
  }
}
BENCHMARK(generate_1f1b)
    ->Args({32, 256})
    ->Args({1024, 8192})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(verify_1f1b)
    ->Args({32, 256})
    ->Args({1024, 8192})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
