// What a redraw of the lab costs before the page lays it out: from the query to the
// answer, natively. The module takes two to three times as long.
#include <benchmark/benchmark.h>

#include <string>

#include "lab/answer.hpp"

namespace pipeline {
namespace {

void answer(benchmark::State& state, const std::string& query) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string reply = lab_answer(query);
    bytes = reply.size();
    benchmark::DoNotOptimize(reply.data());
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}

void draw(benchmark::State& state, const std::string& schedule) {
  answer(state, "schedule=" + schedule + "&p=" + std::to_string(state.range(0)) +
                    "&m=" + std::to_string(state.range(1)));
}

BENCHMARK_CAPTURE(draw, one_f_one_b, "1f1b")->Args({8, 32})->Args({16, 128});
BENCHMARK_CAPTURE(draw, zb_auto, "zb-auto")->Args({8, 32})->Args({16, 128});
BENCHMARK_CAPTURE(draw, v_half, "v-half")->Args({8, 32})->Args({16, 128});
BENCHMARK_CAPTURE(answer, compare, "op=compare&p=8&m=32&b.schedule=zb-h1");
BENCHMARK_CAPTURE(answer, why, "op=why&p=8&m=32&device=3&entry=20");

}  // namespace
}  // namespace pipeline
